(* Certificates of the symmetric laws: product, single and annulus. *)
From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From futurerand Require Import binary product symbol score_table counting.
From futurerand Require Import symmetric annulus laws certificate.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* A flip must be possible, and at most as likely as a fair coin's. *)
Definition check_flip (flip W n m : N) : bool :=
  [&& N.ltb 0 flip, N.leb flip (N.sub W flip) & N.ltb 0 m].

Lemma check_flipP flip W n m : check_flip flip W n m ->
  [/\ (0 < nat_of_bin flip)%N, (nat_of_bin flip <= nat_of_bin W - nat_of_bin flip)%N
    & (0 < nat_of_bin m)%N].
Proof. by case/and3P=> /ltbE f0 /lebE; rewrite subE => fW /ltbE m0. Qed.

(* ---- product and single ------------------------------------------------------ *)
Definition check_product (flip W n m : N) : bool :=
  check_flip flip W n m && N.leb (N.mul (N.sub W flip) m) (N.mul n flip).

Lemma sign_ratio_le flip W n m : check_product flip W n m ->
  sign_ratio (nat_of_bin flip) (nat_of_bin W) <= n%:B / m%:B.
Proof.
case/andP=> /check_flipP[f0 fW m0] /lebE; rewrite !mulE subE => H.
by rewrite /sign_ratio ler_pdivr_mulr ?ltr0n //; exact: ratioP.
Qed.

Lemma product_certified k flip W n m : check_product flip W n m ->
  certified (l := Product k flip) (law_of W (l := Product k flip))
    ((n%:B / m%:B) ^+ size (weights [:: (k, 1%num)])).
Proof.
move=> ok; have le := sign_ratio_le ok.
case/andP: ok => /check_flipP[f0 fW m0] _.
split; first exact: product_sum1.
exists (fun b => product_likelihood (nat_of_bin flip) (nat_of_bin W) b).
split=> [b|b|b b']; [exact: product_lawE | exact: product_gt0 |].
apply: le_trans (product_ratio f0 fW b b') _; apply: ler_wpmul2r.
  by rewrite ltW // product_gt0.
by rewrite ler_expn2r ?nnegrE ?divr_ge0 ?ler0n.
Qed.

Definition check_single (k flip W n m : N) : bool :=
  N.ltb 0 k && check_product flip W n m.

Lemma single_certified k flip W n m : check_single k flip W n m ->
  certified (l := Single k flip) (law_of W (l := Single k flip)) (n%:B / m%:B).
Proof.
case/andP=> /ltbE k0 ok; have le := sign_ratio_le ok.
case/andP: ok => /check_flipP[f0 fW m0] _.
have K0 : (0 < size (weights [:: (k, 1%num)]))%N by rewrite -count_signsE addE addn0.
split; first exact: single_sum1.
exists (fun b => single_likelihood (nat_of_bin flip) (nat_of_bin W) b).
split=> [b|b|b b']; [exact: single_lawE | exact: single_gt0 |].
apply: le_trans (single_ratio f0 fW K0 b b') _; apply: ler_wpmul2r => //.
by rewrite ltW // single_gt0.
Qed.

(* ---- annulus ------------------------------------------------------------------- *)
Section Annulus.
Variables (k flip first last W n m : N).
Notation rs := [:: (k, 1%num)].
Notation K := (size (weights rs)).

(* The weight of the vectors with first..last minus signs. *)
Definition between (wp wm : N) : N :=
  N.sub (upto wp 0 wm 1 1 rs (nat_of_bin last))
    (if N.eqb first 0 then 0%num
     else upto wp 0 wm 1 1 rs (nat_of_bin (N.pred first))).

(* The weight of one kept vector with i minus signs, over W^k. *)
Definition one_kept (i : N) : N :=
  N.mul (N.pow flip i) (N.pow (N.sub W flip) (N.sub (count_signs rs) i)).

Definition check_annulus : bool :=
  let out := N.sub (N.pow W (count_signs rs)) (between (N.sub W flip) flip) in
  let share := N.sub (N.pow 2 (count_signs rs)) (between 1 1) in
  let f := one_kept first in let g := one_kept last in
  [&& check_flip flip W n m, N.leb first last, N.leb last (count_signs rs), N.leb m n,
      N.leb (N.mul f m) (N.mul n g) &
      (N.eqb first 0 && N.eqb last (count_signs rs)) ||
      [&& N.ltb 0 out, N.ltb 0 share,
          N.leb (N.mul out m) (N.mul n (N.mul g share)) &
          N.leb (N.mul (N.mul f share) m) (N.mul n out)]].

Section Between.
Variables (wp wm : N) (D : nat) (F : {ffun 'I_K -> symbol} -> rat).
Hypothesis FE : forall b, F b = (weight_of wp 0 wm b)%:R / (D ^ K)%:R.
Hypothesis first_last : (nat_of_bin first <= nat_of_bin last)%N.

Lemma betweenE :
  \sum_(b | kept (nat_of_bin first) (nat_of_bin last) b) F b
    = (between wp wm)%:B / (D ^ K)%:R.
Proof.
have U M : \sum_(b | (minus_count b <= M)%N) F b = (upto wp 0 wm 1 1 rs M)%:B / (D ^ K)%:R.
  by apply: share_upto => // b _; rewrite lost_minus_count.
rewrite /between eqbE; case: eqP => [f0|/eqP f0].
  rewrite subE subn0 -U; apply: eq_bigl => b.
  by rewrite /kept f0.
have predE : nat_of_bin (N.pred first) = (nat_of_bin first).-1.
  by rewrite !binE N2Nat.inj_pred.
have low b : (minus_count b <= (nat_of_bin first).-1)%N
    = (minus_count b < nat_of_bin first)%N by rewrite -ltnS prednK // lt0n.
have split_ : \sum_(b | (minus_count b <= nat_of_bin last)%N) F b =
    \sum_(b | (minus_count b <= (nat_of_bin first).-1)%N) F b
    + \sum_(b | kept (nat_of_bin first) (nat_of_bin last) b) F b.
  rewrite (bigID (fun b => minus_count b <= (nat_of_bin first).-1)%N) /=.
  congr (_ + _); apply: eq_bigl => b; rewrite /kept low.
    by apply/andb_idl => h; exact: leq_trans (ltnW h) first_last.
  by rewrite -leqNgt andbC.
have := split_; rewrite !U => H.
have {H} -> : \sum_(b | kept (nat_of_bin first) (nat_of_bin last) b) F b =
    (upto wp 0 wm 1 1 rs (nat_of_bin last))%:B / (D ^ K)%:R
    - (upto wp 0 wm 1 1 rs (nat_of_bin first).-1)%:B / (D ^ K)%:R.
  by rewrite H addrAC subrr add0r.
rewrite -mulrBl subE predE natrB // !upto_counts.
rewrite [X in (X <= _)%N]big_mkcond [X in (_ <= X)%N]big_mkcond; apply: leq_sum => b _.
rewrite !lost_minus_count low; case: ifP => // h; case: ifP => // cl.
by rewrite (leq_trans (ltnW h) first_last) in cl.
Qed.
End Between.

Lemma product_weightE (b : {ffun 'I_K -> symbol}) :
  product_law (nat_of_bin flip) (nat_of_bin W) b =
  (weight_of (N.sub W flip) 0 flip b)%:R / (nat_of_bin W ^ K)%:R.
Proof.
rewrite /product_law (eq_bigr (fun j =>
  (symbol_weight (N.sub W flip) 0 flip (b j))%:R / W%:B)) => [|j _].
  by rewrite big_split /= -natr_prod prodr_const card_ord natrX exprVn.
by rewrite /symbol_weight; case: (b j) => [[]|] //=; rewrite ?subE ?mul0r.
Qed.

Lemma annulus_certified : check_annulus ->
  certified (l := Annulus k flip first last) (law_of W (l := Annulus k flip first last))
    (n%:B / m%:B).
Proof.
rewrite /check_annulus.
have [f Ef] : {f | f = one_kept first} by exists (one_kept first).
have [g Eg] : {g | g = one_kept last} by exists (one_kept last).
rewrite -Ef -Eg.
case/and5P=> /check_flipP[f0 fW m0] /lebE fl /lebE; rewrite count_signsE => lk /lebE mn.
case/andP=> /lebE; rewrite !mulE => fg out_ok.
have W0 : 0 < (nat_of_bin W)%:R :> rat by rewrite (W_gt0 f0 fW).
have M0 : 0 < m%:B by rewrite ltr0n.
have r1 : 1 <= n%:B / m%:B by rewrite ler_pdivl_mulr // mul1r ler_nat.
pose c : rat := (2%:R / W%:B) ^+ K.
have c0 : 0 < c by rewrite exprn_gt0 // divr_gt0 // ltr0n.
have at_one i : (nat_of_bin i <= K)%N ->
    at_count K (nat_of_bin flip) (nat_of_bin W) (nat_of_bin i) = c * (one_kept i)%:B.
  move=> iK; rewrite /at_count /sign_likelihood /= ![2%:R * _ / _]mulrAC /c.
  rewrite /one_kept mulE !powE !subE count_signsE natrM !natrX.
  move: (2%:R / W%:B) => e; rewrite !exprMn.
  by rewrite mulrACA -exprD subnKC.
have fk : (nat_of_bin first <= K)%N by exact: leq_trans lk.
set r := _ / _ in r1 *.
have kept_ok : at_count K (nat_of_bin flip) (nat_of_bin W) (nat_of_bin first)
    <= r * at_count K (nat_of_bin flip) (nat_of_bin W) (nat_of_bin last).
  by rewrite !at_one // -Ef -Eg mulrCA ler_pmul2l //; apply: ratioP.
pose o := @outside K (nat_of_bin flip) (nat_of_bin W) (nat_of_bin first) (nat_of_bin last).
have outside_ok : (forall b, @kept K (nat_of_bin first) (nat_of_bin last) b) \/
  [/\ 0 < o, o <= r * at_count K (nat_of_bin flip) (nat_of_bin W) (nat_of_bin last)
    & at_count K (nat_of_bin flip) (nat_of_bin W) (nat_of_bin first) <= r * o].
  case/orP: out_ok => [/andP[]|/and4P[/ltbE out0 /ltbE share0]].
    rewrite !eqbE count_signsE => /eqP z /eqP e; left => b.
    by rewrite /kept z e minus_count_le.
  move=> /lebE H1 /lebE H2; right.
  move: out0 share0 H1 H2; rewrite !mulE.
  set out := N.sub (N.pow W _) _; set share := N.sub (N.pow 2 _) _.
  move=> out0 share0 H1 H2.
  have oE : o = c * (out%:B / share%:B).
    have lack (D : N) (a : N) : (0 < nat_of_bin (N.sub (N.pow D (count_signs rs)) a))%N ->
        1 - a%:B / (nat_of_bin D ^ K)%:R
        = (N.sub (N.pow D (count_signs rs)) a)%:B / (nat_of_bin D ^ K)%:R.
      rewrite subE powE count_signsE subn_gt0 => h.
      by rewrite natrB ?(ltnW h) // mulrBl divff // pnatr_eq0 -lt0n (leq_ltn_trans _ h).
    rewrite /o /outside /mass_kept /share_kept (betweenE product_weightE) //.
    rewrite (betweenE (null_weightE 1 0) fl) -[null_total _ _]/(nat_of_bin 2%num).
    rewrite (lack W) // (lack 2%num) // -/out -/share.
    rewrite invf_div /c expr_div_n !natrX mulrACA [X in _ * X]mulrC mulrACA.
    by rewrite [X in _ = X]mulrC.
  have s0 : 0 < share%:B by rewrite ltr0n.
  rewrite oE !at_one // -Ef -Eg ![r * (c * _)]mulrCA !(ler_pmul2l c0); split.
  - by rewrite mulr_gt0 // divr_gt0 // ltr0n.
  - by rewrite ler_pdivr_mulr // -mulrA -natrM; apply: ratioP.
  - by rewrite mulrA ler_pdivl_mulr // -natrM; apply: ratioP.
split.
  apply: annulus_sum1 => //; case: outside_ok => [|[o0 _ _]]; [by right | left].
  apply: contraTneq o0 => s1.
  by rewrite /o /outside s1 subrr invr0 mulr0 ltxx.
exists (annulus_likelihood (nat_of_bin flip) (nat_of_bin W)
          (nat_of_bin first) (nat_of_bin last)).
rewrite /o in outside_ok.
split=> [b|b|b b']; [exact: annulus_lawE | |].
  exact: (annulus_gt0 f0 fW outside_ok).
exact: (annulus_ratio f0 fW r1 lk kept_ok outside_ok).
Qed.
End Annulus.
