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

(* ---- from counts to shares ------------------------------------------------ *)
Section Share.
Variables (runs_ : seq (N * N)) (s z : N).
Hypothesis s_gt0 : (0 < nat_of_bin s)%N.
Notation d := (size (weights runs_)).
Notation noise := {ffun 'I_d -> symbol}.
Notation null := (independent (null_law (nat_of_bin s) (nat_of_bin z))).
Definition all_weight : nat := (null_total (nat_of_bin s) (nat_of_bin z) ^ d)%N.

Lemma null_weightE (b : noise) : null b = (weight_of s z s b)%:R / all_weight%:R.
Proof.
rewrite /independent /null_law big_split /= -natr_prod; congr (_%:R * _).
  by apply: eq_bigr => j _; case: (b j) => [[]|].
by rewrite prodr_const card_ord natrX exprVn.
Qed.

Lemma all_weight_gt0 : 0 < all_weight%:R :> rat.
Proof. by rewrite ltr0n expn_gt0 null_total_gt0. Qed.

Lemma share_upto (P : pred noise) lz lm M :
  (forall b, null b != 0 -> P b = (lost lz lm b <= M)%N) ->
  \sum_(b | P b) null b = (upto s z s lz lm runs_ M)%:B / all_weight%:R.
Proof.
move=> same; rewrite upto_counts natr_sum mulr_suml.
rewrite [LHS]big_mkcond [RHS]big_mkcond; apply: eq_bigr => b _.
rewrite -null_weightE; have [->|/same ->//] := eqVneq (null b) 0.
by rewrite !if_same.
Qed.
End Share.

(* ---- two-sided laws --------------------------------------------------------- *)
Definition check_two_sided (high all T W n m : N) : bool :=
  let low := N.sub all high in let S := N.sub W T in
  [&& N.ltb 0 T, N.ltb T W, N.ltb 0 high, N.ltb high all, N.ltb 0 m, N.leb m n,
      N.leb (N.mul (N.mul T low) m) (N.mul n (N.mul S high)) &
      N.leb (N.mul (N.mul S high) m) (N.mul n (N.mul T low))].

Section CheckTwoSided.
Variables (l : law_integers) (P : pred (noise l)) (high all T W n m : N).
Hypothesis q_sum1 : \sum_a null_of l a = 1.
Hypothesis share : high_share (null_of l) P = high%:B / all%:B.

Lemma two_sided_certified : check_two_sided high all T W n m ->
  certified (two_sided (null_of l) P (nat_of_bin T) (nat_of_bin W)) (n%:B / m%:B).
Proof.
case/and5P=> /ltbE T0 /ltbE TW /ltbE h0 /ltbE ha /and4P[/ltbE m0 /lebE mn /lebE H1 /lebE H2].
rewrite !mulE !subE in H1 H2.
have a0 : 0 < all%:B by rewrite ltr0n (ltn_trans h0).
have s0 : 0 < high_share (null_of l) P by rewrite share divr_gt0 // ltr0n.
have s1 : high_share (null_of l) P < 1 by rewrite share ltr_pdivr_mulr ?mul1r ?ltr_nat.
have low : 1 - high%:B / all%:B = (nat_of_bin all - nat_of_bin high)%:R / all%:B.
  by rewrite natrB ?(ltnW ha) // mulrBl divff ?gt_eqF.
have M0 : 0 < m%:B by rewrite ltr0n.
split; first by apply: two_sided_sum1.
exists (fun b => side_likelihood (null_of l) P (nat_of_bin T) (nat_of_bin W) (P b)).
split=> [b|b|b b']; [by [] | by apply: side_gt0 | apply: side_ratio => //].
- by rewrite ler_pdivl_mulr // mul1r ler_nat.
- rewrite share low !mulrA ler_pmul2r ?invr_gt0 // -!natrM.
  by rewrite -mulrA -natrM; exact: ratioP.
- rewrite share low !mulrA ler_pmul2r ?invr_gt0 // -!natrM.
  by rewrite -mulrA -natrM; exact: ratioP.
Qed.
End CheckTwoSided.
