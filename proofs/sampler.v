(* What the samplers draw.

   A sampler compares uniform integers with thresholds, and it draws again
   until a vector fits. These lemmas say which laws that gives. *)
From mathcomp Require Import all_ssreflect all_algebra.
From futurerand Require Import two_sided.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* A uniform integer below W is below T with probability T / W. *)
Lemma below W T : (T <= W)%N -> #|[pred v : 'I_W | (v < T)%N]| = T.
Proof.
move=> TW; rewrite -sum1_card -(big_ord_widen W (fun=> 1%N) TW).
by rewrite sum1_card card_ord.
Qed.

(* Both sides are drawn, and one of them is kept. The first vector and all
   failed tries lie on one side, the last vector on the other. *)
Section BothSides.
Variables (noise : finType) (null : noise -> rat).
Hypothesis null_sum1 : \sum_b null b = 1.
Variables (high : pred noise) (T W : nat).
Hypotheses (T_gt0 : (0 < T)%N) (T_ltW : (T < W)%N).
Hypotheses (share_gt0 : 0 < high_share null high) (share_lt1 : high_share null high < 1).
Notation Q := (high_share null high).

Definition side_share (h : bool) : rat := if h then Q else 1 - Q.

(* The probability that the first vector is u, that n further vectors lie on its
   side, and that the next is v from the other side. *)
Definition found n (u v : noise) : rat :=
  if high u != high v then null u * side_share (high u) ^+ n * null v else 0.

(* The noise b is kept if the comparison v < T asks for its side, and b is the
   first or the last vector. *)
Definition wanted (h : bool) : rat := if h then T%:R / W%:R else (W - T)%:R / W%:R.
Definition kept n (b : noise) : rat :=
  wanted (high b) * (\sum_u (found n b u + found n u b)).

(* The probability that the sampler stops after n failed tries. *)
Definition stops n : rat := \sum_b \sum_u found n b u.

Lemma sum_side (h : bool) : \sum_(b | high b == h) null b = side_share h.
Proof.
case: h => /=; first by apply: eq_bigl => b; case: (high b).
by rewrite -(low_share null_sum1); apply: eq_bigl => b; case: (high b).
Qed.

Lemma found_sum n b : \sum_u (found n b u + found n u b) =
  null b * (side_share (~~ high b) * (side_share (high b) ^+ n + side_share (~~ high b) ^+ n)).
Proof.
rewrite (eq_bigr (fun u => if high u == ~~ high b then
    null b * (side_share (high b) ^+ n + side_share (~~ high b) ^+ n) * null u else 0)).
  by rewrite -big_mkcond -mulr_sumr sum_side -mulrA [X in null b * X]mulrC.
move=> u _; rewrite /found [high u == high b]eq_sym.
have -> : (high u == ~~ high b) = (high b != high u) by case: (high u) (high b) => [] [].
case: ifP => [ne|_]; last by rewrite addr0.
have -> : high u = ~~ high b by case: (high u) (high b) ne => [] [].
by rewrite mulrDr mulrDl [null u * _ * _]mulrC !mulrA [X in _ + X]mulrAC.
Qed.

Lemma stopsE n : stops n = Q * (1 - Q) * (Q ^+ n + (1 - Q) ^+ n).
Proof.
have E b : \sum_u found n b u = null b * (side_share (high b) ^+ n * side_share (~~ high b)).
  rewrite (eq_bigr (fun u => if high u == ~~ high b then
    null b * side_share (high b) ^+ n * null u else 0)).
    by rewrite -big_mkcond -mulr_sumr sum_side mulrA.
  by move=> u _; rewrite /found; case: (high u) (high b) => [] [].
rewrite /stops (eq_bigr _ (fun b _ => E b)) (bigID high) /=.
rewrite (eq_bigr (fun b => null b * (Q ^+ n * (1 - Q)))) => [|b ->] //.
rewrite [X in _ + X](eq_bigr (fun b => null b * ((1 - Q) ^+ n * Q))) => [|b /negbTE ->] //.
rewrite -!mulr_suml (low_share null_sum1) -/Q [RHS]mulrDr; congr (_ + _).
  by rewrite [Q ^+ n * _]mulrC mulrA.
by rewrite mulrA [LHS]mulrC mulrA.
Qed.

(* However many tries it took, what is kept has the two-sided law exactly. So
   the number of tries says nothing about the noise. *)
Theorem kept_two_sided n b : kept n b = two_sided null high T W b * stops n.
Proof.
rewrite /kept found_sum stopsE /two_sided /side_likelihood /wanted /side_share.
have Q0 : Q != 0 by rewrite gt_eqF.
have Q1 : 1 - Q != 0 by rewrite gt_eqF // subr_gt0.
case: (high b) => /=.
  rewrite mulrCA -[RHS]mulrA [RHS]mulrCA; congr (null b * _).
  by rewrite -!mulrA mulKf.
rewrite mulrCA -[RHS]mulrA [RHS]mulrCA; congr (null b * _).
by rewrite [(1 - Q) ^+ n + _]addrC [Q * (1 - Q)]mulrC -!mulrA mulKf.
Qed.
End BothSides.
