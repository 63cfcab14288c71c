(* The certificate: a computation in binary numbers that decides whether the
   likelihoods of a law stay within the ratio n / m. *)
From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From futurerand Require Import binary product symbol score_table counting.
From futurerand Require Import two_sided symmetric annulus laws.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Notation "n %:B" := ((nat_of_bin n)%:R : rat) (at level 2, left associativity, format "n %:B") : ring_scope.

(* What a certificate promises: likelihoods within r, and a law that sums to one. *)
Definition certified (l : law_integers) (law : noise l -> rat) (r : rat) :=
  \sum_b law b = 1 /\
  exists L : noise l -> rat,
    [/\ forall b, law b = L b * independent (null_of l) b,
        forall b, 0 < L b & forall b b', L b <= r * L b'].

Lemma ratioP (n m : N) (a b : nat) : (0 < nat_of_bin m)%N ->
  (a * nat_of_bin m <= nat_of_bin n * b)%N -> a%:R <= n%:B / m%:B * b%:R :> rat.
Proof.
move=> m0 H; rewrite mulrAC ler_pdivl_mulr ?ltr0n // -!natrM ler_nat.
exact: H.
Qed.

(* ---- from counts to probabilities ------------------------------------------ *)
Section Share.
Variables (runs_ : seq (N * N)) (wp wz wm : N) (D : nat).
Notation d := (size (weights runs_)).
Notation noise := {ffun 'I_d -> symbol}.
Variable F : noise -> rat.
Hypothesis FE : forall b, F b = (weight_of wp wz wm b)%:R / (D ^ d)%:R.

Lemma share_upto (P : pred noise) lz lm M :
  (forall b, F b != 0 -> P b = (lost lz lm b <= M)%N) ->
  \sum_(b | P b) F b = (upto wp wz wm lz lm runs_ M)%:B / (D ^ d)%:R.
Proof.
move=> same; rewrite upto_counts natr_sum mulr_suml.
rewrite [LHS]big_mkcond [RHS]big_mkcond; apply: eq_bigr => b _.
rewrite -FE; have [->|/same ->//] := eqVneq (F b) 0.
by rewrite !if_same.
Qed.
End Share.

Lemma null_weightE (ws : seq nat) (s z : N) (b : {ffun 'I_(size ws) -> symbol}) :
  independent (null_law (nat_of_bin s) (nat_of_bin z)) b =
  (weight_of s z s b)%:R / (null_total (nat_of_bin s) (nat_of_bin z) ^ size ws)%:R.
Proof.
rewrite /independent /null_law big_split /= -natr_prod; congr (_%:R * _).
  by apply: eq_bigr => j _; case: (b j) => [[]|].
by rewrite prodr_const card_ord natrX exprVn.
Qed.

(* The number of signs and the largest score, in binary. *)
Definition count_signs (rs : seq (N * N)) : N := foldr (fun r t => N.add r.1 t) 0%num rs.
Definition total_weight (rs : seq (N * N)) : N :=
  foldr (fun r t => N.add (N.mul r.1 r.2) t) 0%num rs.

Lemma count_signsE rs : nat_of_bin (count_signs rs) = size (weights rs).
Proof.
elim: rs => //= r rs IH; rewrite addE IH /weights /= size_cat size_nseq.
by [].
Qed.

Lemma total_weightE rs : nat_of_bin (total_weight rs) = sumn (weights rs).
Proof.
elim: rs => //= r rs IH; rewrite addE mulE IH /weights /= sumn_cat sumn_nseq.
by rewrite mulnC.
Qed.

(* ---- two-sided laws --------------------------------------------------------- *)
Definition check_two_sided (high all T W n m : N) : bool :=
  let low := N.sub all high in let S := N.sub W T in
  [&& N.ltb 0 T, N.ltb T W, N.ltb 0 high, N.ltb high all, N.ltb 0 m, N.leb m n,
      N.leb (N.mul (N.mul T low) m) (N.mul n (N.mul S high)) &
      N.leb (N.mul (N.mul S high) m) (N.mul n (N.mul T low))].

Section CheckTwoSided.
Variables (noise : finType) (null : noise -> rat) (P : pred noise) (high all T W n m : N).
Hypothesis null_sum1 : \sum_b null b = 1.
Hypothesis share : high_share null P = high%:B / all%:B.
Notation L := (side_likelihood null P (nat_of_bin T) (nat_of_bin W)).

Lemma two_sided_checked : check_two_sided high all T W n m ->
  [/\ \sum_b two_sided null P (nat_of_bin T) (nat_of_bin W) b = 1,
      forall h, 0 < L h & forall h h', L h <= n%:B / m%:B * L h'].
Proof.
case/and5P=> /ltbE T0 /ltbE TW /ltbE h0 /ltbE ha /and4P[/ltbE m0 /lebE mn /lebE H1 /lebE H2].
rewrite !mulE !subE in H1 H2.
have a0 : 0 < all%:B by rewrite ltr0n (ltn_trans h0).
have s0 : 0 < high_share null P by rewrite share divr_gt0 // ltr0n.
have s1 : high_share null P < 1 by rewrite share ltr_pdivr_mulr ?mul1r ?ltr_nat.
have low : 1 - high%:B / all%:B = (nat_of_bin all - nat_of_bin high)%:R / all%:B.
  by rewrite natrB ?(ltnW ha) // mulrBl divff ?gt_eqF.
have M0 : 0 < m%:B by rewrite ltr0n.
split=> [|h|h h']; [exact: two_sided_sum1 | exact: side_gt0 | apply: side_ratio => //].
- by rewrite ler_pdivl_mulr // mul1r ler_nat.
- rewrite share low !mulrA ler_pmul2r ?invr_gt0 // -!natrM.
  by rewrite -mulrA -natrM; exact: ratioP.
- rewrite share low !mulrA ler_pmul2r ?invr_gt0 // -!natrM.
  by rewrite -mulrA -natrM; exact: ratioP.
Qed.
End CheckTwoSided.

Lemma two_sided_certified (l : law_integers) (P : pred (noise l)) (high all T W n m : N) :
  \sum_a null_of l a = 1 ->
  high_share (@independent _ _ (null_of l) _) P = high%:B / all%:B ->
  check_two_sided high all T W n m ->
  certified (two_sided (@independent _ _ (null_of l) _) P (nat_of_bin T) (nat_of_bin W))
    (n%:B / m%:B).
Proof.
move=> q1 share /(two_sided_checked (independent_sum1 q1 _) share)[sum1 L0 ratio].
split=> //; exists (fun b => side_likelihood (@independent _ _ (null_of l) _) P
                              (nat_of_bin T) (nat_of_bin W) (P b)).
by split.
Qed.

(* Signs of weight 1 lose one each if they are not plus. *)
Lemma lost_minus_count n (b : {ffun 'I_(size (weights [:: (n, 1%num)])) -> symbol}) :
  lost 1 1 b = minus_count b.
Proof.
rewrite /lost /minus_count; apply: eq_bigr => -[j jn] _ /=.
have -> : nth 0%N (weights [:: (n, 1%num)]) j = 1%N.
  by move: jn; rewrite /weights /= cats0 size_nseq nth_nseq => ->.
by rewrite muln1; case: (b _) => [[]|].
Qed.

Definition check_threshold (k tau T W n m : N) : bool :=
  check_two_sided (upto 1 0 1 1 1 [:: (k, 1%num)] (nat_of_bin tau))
    (N.pow 2 (count_signs [:: (k, 1%num)])) T W n m.

Lemma threshold_certified k tau T W n m : check_threshold k tau T W n m ->
  certified (l := Threshold k tau T) (law_of W (l := Threshold k tau T)) (n%:B / m%:B).
Proof.
apply: (two_sided_certified (l := Threshold k tau T)); first exact: null_law_sum1.
rewrite powE count_signsE /high_share.
apply: (share_upto (D := 2)) => b; first exact: (null_weightE 1 0).
by move=> _; rewrite lost_minus_count.
Qed.

(* ---- the weighted threshold law ----------------------------------------------- *)
Section Score.
Variable ws : seq nat.
Notation noise := {ffun 'I_(size ws) -> symbol}.

Lemma sumn_ord : sumn ws = (\sum_(j < size ws) nth 0 ws j)%N.
Proof. by rewrite sumnE (big_nth 0%N) big_mkord. Qed.

(* A zero loses its weight, a minus twice its weight. *)
Lemma score_lost (b : noise) : score ws b = (sumn ws)%:Z - (lost 1 2 b)%:Z.
Proof.
rewrite sumn_ord /lost !(big_morph Posz PoszD (erefl _)) -sumrB.
apply: eq_bigr => j _; case: (b j) => [[]|] /=.
- by rewrite mulrN1 mul2n -addnn PoszD opprD addrA subrr add0r.
- by rewrite mulr1 mul0n subr0.
- by rewrite mulr0 mul1n subrr.
Qed.

(* Without zeros, half of that is counted. *)
Lemma score_lost_fair (b : noise) : (forall j, b j != zero) ->
  score ws b = (sumn ws)%:Z - (2 * lost 1 1 b)%N%:Z.
Proof.
move=> fair_b; rewrite score_lost; congr (_ - Posz _).
rewrite /lost big_distrr; apply: eq_bigr => j _ /=.
by have := fair_b j; case: (b j) => [[]|] //= _; rewrite mulnA.
Qed.
End Score.

Definition check_weighted (levels : seq (N * N)) (theta T nonzero W n m : N) : bool :=
  let '(s, z) := null_weights nonzero in
  let total := total_weight levels in
  let most := N.sub total theta in
  let high := if N.eqb z 0 then upto s z s 1 1 levels (nat_of_bin (N.div2 most))
              else upto s z s 1 2 levels (nat_of_bin most) in
  [&& N.ltb 0 s, N.leb theta total &
      check_two_sided high (N.pow (N.add s (N.add z s)) (count_signs levels)) T W n m].

Lemma weighted_certified levels theta T nonzero W n m :
  check_weighted levels theta T nonzero W n m ->
  certified (l := WeightedThreshold levels theta T nonzero)
    (law_of W (l := WeightedThreshold levels theta T nonzero)) (n%:B / m%:B).
Proof.
set l := WeightedThreshold _ _ _ _; rewrite /check_weighted.
have Es : (null_weights nonzero).1 = sign_weight l by [].
have Ez : (null_weights nonzero).2 = zero_weight l by [].
case: (null_weights nonzero) Es Ez => s z /= -> -> /and3P[/ltbE s0 /lebE tt].
apply: (two_sided_certified (l := l)); first exact: null_law_sum1.
rewrite powE count_signsE !addE; set D := (_ + _)%N.
have FE := @null_weightE (weights levels) (sign_weight l) (zero_weight l).
rewrite total_weightE in tt.
have tot : (nat_of_bin (N.sub (total_weight levels) theta)
            = sumn (weights levels) - nat_of_bin theta)%N.
  by rewrite subE total_weightE.
rewrite /high_share eqbE; case: eqP => z0; apply: (share_upto (D := D)) => // b nb.
  have fair_b j : b j != zero.
    apply: contraNneq nb => bj; rewrite /independent (bigD1 j) //= bj.
    by rewrite /null_of /null_law /= z0 mul0r mul0r.
  rewrite score_lost_fair // ler_subr_addl -ler_subr_addr subzn // lez_nat.
  by rewrite div2E tot mul2n geq_half_double.
by rewrite score_lost ler_subr_addl -ler_subr_addr subzn // lez_nat tot.
Qed.
