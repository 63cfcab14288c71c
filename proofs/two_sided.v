(* Two-sided laws: threshold, sparse, weighted threshold and pulse laws.

   With probability T / W the noise is drawn like the null given that it lies
   on the high side, otherwise like the null given that it does not. *)
From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section TwoSided.
Variables (noise : finType) (null : noise -> rat).
Hypothesis null_sum1 : \sum_b null b = 1.
Variables (high : pred noise) (T W : nat).

Definition high_share : rat := \sum_(b | high b) null b.
Definition side_likelihood (h : bool) : rat :=
  if h then T%:R / W%:R / high_share else (W - T)%:R / W%:R / (1 - high_share).
Definition two_sided (b : noise) : rat := side_likelihood (high b) * null b.

Hypotheses (T_gt0 : (0 < T)%N) (T_ltW : (T < W)%N).
Hypotheses (share_gt0 : 0 < high_share) (share_lt1 : high_share < 1).

Lemma low_share : \sum_(b | ~~ high b) null b = 1 - high_share.
Proof. by rewrite -null_sum1 [X in X - _](bigID high) /= addrAC subrr add0r. Qed.

Lemma two_sided_sum1 : \sum_b two_sided b = 1.
Proof.
have W0 : W%:R != 0 :> rat by rewrite pnatr_eq0 -lt0n (ltn_trans T_gt0).
rewrite (bigID high) /=.
rewrite (eq_bigr (fun b => side_likelihood true * null b)) => [|b hb]; last first.
  by rewrite /two_sided hb.
rewrite [X in _ + X](eq_bigr (fun b => side_likelihood false * null b)); last first.
  by move=> b /negbTE hb; rewrite /two_sided hb.
rewrite -!mulr_sumr low_share -/high_share /side_likelihood.
rewrite !mulfVK ?gt_eqF ?subr_gt0 // -mulrDl -natrD subnKC ?divff //.
exact: ltnW.
Qed.

Lemma side_gt0 h : 0 < side_likelihood h.
Proof.
have W0 : (0 < W)%N by exact: ltn_trans T_ltW.
by case: h; rewrite !mulr_gt0 ?invr_gt0 ?ltr0n ?subr_gt0 ?subn_gt0.
Qed.

(* The two ratios that a certificate compares with r = e^epsilon. *)
Variable r : rat.
Hypothesis r_ge1 : 1 <= r.
Hypothesis high_ok :
  T%:R * (1 - high_share) <= r * ((W - T)%:R * high_share).
Hypothesis low_ok :
  (W - T)%:R * high_share <= r * (T%:R * (1 - high_share)).

Lemma cross (a b c e : rat) : 0 < c -> 0 < e -> a * e <= r * (b * c) ->
  a / W%:R / c <= r * (b / W%:R / e).
Proof.
move=> c0 e0 H; have W0 : 0 < W%:R :> rat by rewrite ltr0n (ltn_trans T_gt0).
rewrite ler_pdivr_mulr // ler_pdivr_mulr //.
have -> : r * (b / W%:R / e) * c * W%:R = r * (b * c) / e.
  by rewrite !mulrA [_ * c * _]mulrAC [_ / e * _]mulrAC mulfVK ?gt_eqF // mulrAC.
by rewrite ler_pdivl_mulr.
Qed.

Lemma side_ratio h h' : side_likelihood h <= r * side_likelihood h'.
Proof.
have same : side_likelihood h <= r * side_likelihood h.
  by rewrite ler_pemull // ltW // side_gt0.
case: h same h' => same [] //=; apply: cross; rewrite ?subr_gt0 //.
Qed.
End TwoSided.
