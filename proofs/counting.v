(* The total weight of all vectors that lose at most M, by computation.

   Runs are pairs (count, weight): so many signs of this weight. The last run,
   the steady signs, is by far the longest. It is not added sign by sign: j of
   its n signs are minus in C(n, j) ways, which leaves M - j w for the others. *)
From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect all_algebra.
From futurerand Require Import binary symbol score_table.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

(* ---- sums of the first K coefficients ----------------------------------- *)
Definition first_terms K (p : {poly int}) : int := \sum_(i < K) p`_i.

Lemma first_terms0 K : first_terms K 0 = 0.
Proof. by rewrite /first_terms big1 // => i _; rewrite coef0. Qed.

Lemma first_termsD K p p' : first_terms K (p + p') = first_terms K p + first_terms K p'.
Proof. by rewrite -big_split; apply: eq_bigr => i _; rewrite coefD. Qed.

Lemma first_termsC K c p : first_terms K (c%:P * p) = c * first_terms K p.
Proof. by rewrite mulr_sumr; apply: eq_bigr => i _; rewrite coefCM. Qed.

Lemma first_termsX K w p : first_terms K (p * 'X^w) = first_terms (K - w) p.
Proof.
elim: K => [|K IH]; first by rewrite /first_terms !big_ord0.
rewrite {1}/first_terms big_ord_recr /= -/(first_terms K _) IH coefMXn.
case: ltnP => h; last by rewrite subSn // {2}/first_terms big_ord_recr.
have -> : (K.+1 - w = 0)%N by apply/eqP; rewrite subn_eq0.
have -> : (K - w = 0)%N by apply/eqP; rewrite subn_eq0 ltnW.
by rewrite addr0.
Qed.

(* ---- prefix sums of a row, the longest first ----------------------------- *)
Fixpoint sums (K : nat) (acc : N) (done r : seq N) : seq N :=
  if K is K'.+1 then
    let a := N.add acc (head 0%num r) in sums K' a (a :: done) (behead r)
  else done.
Definition prefix_sums K (r : seq N) := sums K 0%num [::] r.

Lemma nth_sums K acc done r i : toZ (nth 0%num (sums K acc done r) i) =
  if (i < K)%N then toZ acc + \sum_(t < K - i) toZ (nth 0%num r t)
  else toZ (nth 0%num done (i - K)).
Proof.
elim: K acc done r i => [|K IH] acc done r i /=; first by rewrite subn0.
have nth_behead t : nth 0%num (behead r) t = nth 0%num r t.+1.
  by case: r => //=; rewrite nth_nil.
rewrite IH ltnS; case: ltngtP => // iK.
- rewrite subSn ?(ltnW iK) // big_ord_recl toZD nth0 addrA.
  by under eq_bigr do rewrite nth_behead.
- by rewrite -(subnSK iK).
- by rewrite iK subnn subSnn big_ord_recl big_ord0 addr0 toZD nth0.
Qed.

Lemma nth_prefix_sums K r i :
  toZ (nth 0%num (prefix_sums K r) i) = first_terms (K - i) (poly_of r).
Proof.
rewrite nth_sums; case: ltnP => h.
  by rewrite add0r; apply: eq_bigr => t _; rewrite coef_poly_of.
rewrite nth_nil /first_terms; have -> : (K - i = 0)%N by apply/eqP.
by rewrite big_ord0.
Qed.

(* ---- the steady signs ---------------------------------------------------- *)
Fixpoint spread (w : nat) (row l : seq N) : N :=
  if row is a :: row' then
    N.add (N.mul a (head 0%num l)) (spread w row' (drop w l))
  else 0%num.

Lemma spreadE w row l K p :
  (forall i, toZ (nth 0%num l i) = first_terms (K - i) p) ->
  toZ (spread w row l) = first_terms K (p * (poly_of row \Po 'X^w)).
Proof.
elim: row l K => [|a row IH] l K H.
  by rewrite /poly_of /= comp_poly0 mulr0 first_terms0.
rewrite /= toZD toZM -nth0 H subn0 (IH _ (K - w)%N) => [|i]; last first.
  by rewrite nth_drop H subnDA.
rewrite poly_cons comp_polyD comp_polyM comp_polyX comp_polyC mulrDr mulrA.
by rewrite first_termsD first_termsX [p * _%:P]mulrC first_termsC addrC.
Qed.

Section Count.
Variables (wp wz wm : N) (lz lm : nat).
Notation factor := (factor wp wz wm lz lm).
Notation table := (table wp wz wm lz lm).
Notation symbol_weight := (symbol_weight wp wz wm).
Notation loss := (loss lz lm).

Lemma factor_comp w : factor w = factor 1 \Po 'X^w.
Proof.
rewrite /factor (big_morph _ (fun p q => comp_polyD p q _) (comp_poly0 _)).
apply: eq_bigr => a _; rewrite comp_polyM comp_polyC muln1.
by rewrite (rmorphX (comp_poly_rmorphism _)) /= comp_polyX -exprM mulnC.
Qed.

Lemma factor_power w n : factor w ^+ n = poly_of (table (nseq n 1%N)) \Po 'X^w.
Proof.
rewrite poly_table factor_comp; elim: n => [|n IH].
  by rewrite /= big_nil expr0 comp_polyC.
by rewrite /= big_cons comp_polyM -IH exprS.
Qed.

Definition weights (runs : seq (N * N)) : seq nat :=
  flatten [seq nseq (nat_of_bin r.1) (nat_of_bin r.2) | r <- runs].

Definition upto (runs : seq (N * N)) (M : nat) : N :=
  if rev runs is (n, w) :: others then
    spread (nat_of_bin w) (table (nseq (nat_of_bin n) 1%N))
      (prefix_sums M.+1 (table (weights (rev others))))
  else 1%num.

Lemma uptoE runs M : toZ (upto runs M) =
  first_terms M.+1 (\prod_(w <- weights runs) factor w).
Proof.
case: (lastP runs) => [|others [n w]].
  rewrite /= big_nil /first_terms big_ord_recl coef1 big1 // => i _.
  by rewrite coef1.
rewrite /upto rev_rcons revK (@spreadE _ _ _ M.+1 (poly_of (table (weights others)))).
  rewrite -factor_power poly_table /weights map_rcons flatten_rcons big_cat /=.
  by rewrite [X in _ = first_terms _ (_ * X)]big_nseq iter_mulr_1.
by move=> i; rewrite nth_prefix_sums.
Qed.

(* ---- what the table counts ------------------------------------------------ *)
Variable ws : seq nat.
Notation noise := {ffun 'I_(size ws) -> symbol}.
Definition weight_of (b : noise) : nat := (\prod_j symbol_weight (b j))%N.
Definition lost (b : noise) : nat := (\sum_j loss (b j) * nth 0 ws j)%N.

Lemma generating : \prod_(w <- ws) factor w =
  \sum_b (weight_of b)%:Z%:P * 'X^(lost b).
Proof.
rewrite (big_nth 0%N) big_mkord bigA_distr_bigA; apply: eq_bigr => b _.
rewrite big_split /= /lost expr_sum; congr (_ * _).
by rewrite /weight_of (big_morph Posz PoszM (erefl _)) rmorph_prod.
Qed.

Lemma first_terms_generating M : first_terms M.+1 (\prod_(w <- ws) factor w) =
  (\sum_(b | (lost b <= M)%N) weight_of b)%N%:Z.
Proof.
rewrite generating (big_morph _ (first_termsD M.+1) (first_terms0 _)).
rewrite (big_morph Posz PoszD (erefl _)) [RHS]big_mkcond; apply: eq_bigr => b _.
rewrite first_termsC -['X^_]mul1r first_termsX /first_terms.
case: leqP => h; last first.
  have -> : (M.+1 - lost b = 0)%N by apply/eqP; rewrite subn_eq0.
  by rewrite big_ord0 mulr0.
by rewrite subSn // big_ord_recl coef1 big1 ?mulr1 // => i _; rewrite coef1.
Qed.
End Count.

Theorem upto_counts wp wz wm lz lm runs M :
  nat_of_bin (upto wp wz wm lz lm runs M) =
  (\sum_(b : {ffun 'I_(size (weights runs)) -> symbol} | lost lz lm b <= M)
     weight_of wp wz wm b)%N.
Proof.
apply/eqP; rewrite -eqz_nat; apply/eqP.
by rewrite -[LHS]/(toZ _) uptoE first_terms_generating.
Qed.
