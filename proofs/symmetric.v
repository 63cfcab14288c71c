(* The symmetric laws of the paper's framework: product, single and annulus.

   A flipped sign is minus with probability flip / W. All signs are fair under
   the null, so a vector with a zero symbol has probability 0 everywhere. *)
From mathcomp Require Import all_ssreflect all_algebra.
From futurerand Require Import product symbol.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Notation fair := (null_law 1 0).

Lemma fair_sum1 : \sum_a fair a = 1. Proof. exact: null_law_sum1. Qed.
Lemma fair_ge0 a : 0 <= fair a. Proof. exact: null_law_ge0. Qed.

Section Symmetric.
Variables (k flip W : nat).
Hypotheses (flip_gt0 : (0 < flip)%N) (flip_le : (flip <= W - flip)%N).
Notation noise := {ffun 'I_k -> symbol}.
Notation null := (independent fair).

Lemma flip_lt : (flip < W)%N.
Proof.
rewrite ltnNge; apply/negP => h; move: flip_le; rewrite (eqP h) leqn0.
by rewrite eqn0Ngt flip_gt0.
Qed.
Lemma W_gt0 : 0 < W%:R :> rat.
Proof. by rewrite ltr0n (ltn_trans flip_gt0 flip_lt). Qed.

(* The law of one flipped sign, and its likelihood. *)
Definition flipped (a : symbol) : rat :=
  match a with plus => (W - flip)%:R / W%:R | minus => flip%:R / W%:R | None => 0 end.
Definition sign_likelihood (a : symbol) : rat :=
  2%:R * (if a is plus then (W - flip)%:R else flip%:R) / W%:R.

Lemma flippedE a : flipped a = sign_likelihood a * fair a.
Proof.
have H c : fair (Some c) = 2%:R^-1 by rewrite /null_law div1r.
case: a => [c|]; last by rewrite /null_law mul0r mulr0.
rewrite H /sign_likelihood mulrAC [2%:R * _]mulrC mulfK ?pnatr_eq0 //.
by case: c.
Qed.

Lemma flipped_sum1 : \sum_a flipped a = 1.
Proof.
rewrite big_symbol /= add0r -mulrDl -natrD subnK ?divff ?gt_eqF ?W_gt0 //.
exact: ltnW flip_lt.
Qed.

Lemma sign_gt0 a : 0 < sign_likelihood a.
Proof.
rewrite /sign_likelihood divr_gt0 ?W_gt0 // mulr_gt0 ?ltr0n //.
by case: a => [[]|]; rewrite ltr0n ?subn_gt0 ?flip_lt.
Qed.

Lemma sign_le a : sign_likelihood minus <= sign_likelihood a <= sign_likelihood plus.
Proof.
rewrite /sign_likelihood; have W0 := ltW W_gt0.
by case: a => [[]|]; rewrite !ler_wpmul2r ?invr_ge0 // ?ler_wpmul2l ?ler_nat ?ler0n.
Qed.

(* The largest ratio of one sign. *)
Definition sign_ratio : rat := (W - flip)%:R / flip%:R.
Lemma sign_ratioE : sign_likelihood plus = sign_ratio * sign_likelihood minus.
Proof.
rewrite /sign_likelihood /sign_ratio !mulrA; congr (_ / _).
by rewrite mulrAC [_ * 2%:R]mulrC -!mulrA mulVf ?mulr1 // pnatr_eq0 -lt0n.
Qed.

(* Each sign is flipped independently. *)
Section Product.
Definition product_law (b : noise) : rat := \prod_j flipped (b j).
Definition product_likelihood (b : noise) : rat := \prod_j sign_likelihood (b j).

Lemma product_lawE b : product_law b = product_likelihood b * null b.
Proof. by rewrite -big_split; apply: eq_bigr => j _; exact: flippedE. Qed.

Lemma product_gt0 b : 0 < product_likelihood b.
Proof. by apply: prodr_gt0 => j _; exact: sign_gt0. Qed.

Lemma product_sum1 : \sum_b product_law b = 1.
Proof.
rewrite -(bigA_distr_bigA (fun (j : 'I_k) a => flipped a)) /=.
by rewrite big1 // => j _; exact: flipped_sum1.
Qed.

Lemma product_ratio b b' :
  product_likelihood b <= sign_ratio ^+ k * product_likelihood b'.
Proof.
have E c : \prod_(j < k) c = c ^+ k :> rat by rewrite prodr_const card_ord.
have low : sign_likelihood minus ^+ k <= product_likelihood b'.
  rewrite -E; apply: ler_prod => j _; rewrite ltW ?sign_gt0 //=.
  by case/andP: (sign_le (b' j)).
apply: le_trans (ler_wpmul2l _ low); last first.
  by rewrite exprn_ge0 // divr_ge0 ?ler0n.
rewrite -exprMn -sign_ratioE -E; apply: ler_prod => j _.
by rewrite ltW ?sign_gt0 //=; case/andP: (sign_le (b j)).
Qed.
End Product.

(* One sign, chosen uniformly, is flipped; all others are fair. *)
Section Single.
Hypothesis k_gt0 : (0 < k)%N.
Definition single_law (b : noise) : rat :=
  k%:R^-1 * \sum_j (flipped (b j) * \prod_(i | i != j) fair (b i)).
Definition single_likelihood (b : noise) : rat :=
  k%:R^-1 * \sum_j sign_likelihood (b j).

Lemma k_gt0r : 0 < k%:R :> rat. Proof. by rewrite ltr0n. Qed.

Lemma single_lawE b : single_law b = single_likelihood b * null b.
Proof.
rewrite -mulrA mulr_suml; congr (_ * _); apply: eq_bigr => j _.
by rewrite /independent [X in _ = _ * X](bigD1 j) //= mulrA -flippedE.
Qed.

Lemma single_bounds b :
  sign_likelihood minus <= single_likelihood b <= sign_likelihood plus.
Proof.
have E c : c = k%:R^-1 * \sum_(j < k) c :> rat.
  by rewrite sumr_const card_ord -[c *+ k]mulr_natl mulKf ?gt_eqF ?k_gt0r.
rewrite [sign_likelihood minus]E [sign_likelihood plus]E.
by apply/andP; split; apply: ler_wpmul2l; rewrite ?invr_ge0 ?ler0n //;
   apply: ler_sum => j _; case/andP: (sign_le (b j)).
Qed.

Lemma single_gt0 b : 0 < single_likelihood b.
Proof. by case/andP: (single_bounds b) => h _; exact: lt_le_trans (sign_gt0 _) h. Qed.

Lemma single_ratio b b' : single_likelihood b <= sign_ratio * single_likelihood b'.
Proof.
case/andP: (single_bounds b) => _ h; case/andP: (single_bounds b') => h' _.
rewrite (le_trans h) // sign_ratioE ler_wpmul2l // divr_ge0 ?ler0n //.
Qed.

Lemma single_sum1 : \sum_b single_law b = 1.
Proof.
rewrite -mulr_sumr exchange_big /= -[RHS](mulVf (x := k%:R)) ?gt_eqF ?k_gt0r //.
congr (_ * _); rewrite (eq_bigr (fun=> 1)) ?sumr_const ?card_ord // => j _.
pose f (i : 'I_k) a := if i == j then flipped a else fair a.
rewrite (eq_bigr (fun b : noise => \prod_i f i (b i))) => [|b _]; last first.
  rewrite [RHS](bigD1 j) //= /f eqxx; congr (_ * _).
  by apply: eq_bigr => i /negbTE ->.
rewrite -(bigA_distr_bigA f) /= big1 // => i _; rewrite /f.
by case: (i == j); [exact: flipped_sum1 | exact: fair_sum1].
Qed.
End Single.
End Symmetric.
