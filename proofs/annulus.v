(* The annulus law: a product draw is kept while its number of minus signs lies
   in first..last. Otherwise it is replaced by a uniform vector from outside. *)
From mathcomp Require Import all_ssreflect all_algebra.
From futurerand Require Import product symbol symmetric.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* The number of minus signs. Zero symbols count too; they have probability 0. *)
Definition minus_count k (b : {ffun 'I_k -> symbol}) : nat :=
  (\sum_j (if b j is plus then 0 else 1))%N.

Lemma minus_count_le k (b : {ffun 'I_k -> symbol}) : (minus_count b <= k)%N.
Proof.
rewrite -[leqRHS]card_ord -sum1_card; apply: leq_sum => j _.
by case: (b j) => [[]|].
Qed.

Section Annulus.
Variables (k flip W first last : nat).
Hypotheses (flip_gt0 : (0 < flip)%N) (flip_le : (flip <= W - flip)%N).
Notation noise := {ffun 'I_k -> symbol}.
Notation null := (independent fair).
Notation product_law := (@product_law k flip W).

Definition kept (b : noise) := (first <= minus_count b <= last)%N.
Definition mass_kept : rat := \sum_(b | kept b) product_law b.
Definition share_kept : rat := \sum_(b | kept b) null b.
Definition outside : rat := (1 - mass_kept) / (1 - share_kept).
Definition annulus_law (b : noise) : rat :=
  if kept b then product_law b else outside * null b.
Definition annulus_likelihood (b : noise) : rat :=
  if kept b then product_likelihood flip W b else outside.

Lemma annulus_lawE b : annulus_law b = annulus_likelihood b * null b.
Proof. by rewrite /annulus_law /annulus_likelihood product_lawE; case: ifP. Qed.

Lemma annulus_sum1 : share_kept != 1 \/ (forall b, kept b) ->
  \sum_b annulus_law b = 1.
Proof.
move=> some; rewrite (bigID kept) /= (eq_bigr product_law) => [|b]; last first.
  by rewrite /annulus_law => ->.
rewrite -/mass_kept (eq_bigr (fun b => outside * null b)) => [|b]; last first.
  by rewrite /annulus_law => /negbTE ->.
case: some => [|all]; last first.
  rewrite [X in _ + X]big_pred0 ?addr0 => [|b]; last by rewrite all.
  rewrite -(product_sum1 k flip_gt0 flip_le) /mass_kept; apply: eq_bigl => b.
  by rewrite all.
rewrite eq_sym -subr_eq0 => s1; rewrite -mulr_sumr.
have -> : \sum_(b | ~~ kept b) null b = 1 - share_kept.
  rewrite -(independent_sum1 fair_sum1 [finType of 'I_k]) [X in X - _](bigID kept) /=.
  by rewrite addrAC subrr add0r.
by rewrite mulfVK // addrCA subrr addr0.
Qed.

(* The likelihood of a kept vector with i minus signs. *)
Definition at_count i : rat :=
  sign_likelihood flip W minus ^+ i * sign_likelihood flip W plus ^+ (k - i).

Lemma product_at_count (b : noise) :
  product_likelihood flip W b = at_count (minus_count b).
Proof.
pose F (b : noise) j := (if b j is plus then 0 else 1)%N.
rewrite /at_count; have -> : (k - minus_count b = \sum_j (1 - F b j))%N.
  rewrite -{1}[k]card_ord -sum1_card -sumnB // => j _.
  by rewrite /F; case: (b j) => [[]|].
rewrite !expr_sum -big_split; apply: eq_bigr => j _ /=.
rewrite /F; case: (b j) => [[]|] /=; rewrite ?expr0 ?expr1 ?mul1r ?mulr1 //.
Qed.

Lemma at_count_le i i' : (i <= i')%N -> (i' <= k)%N -> at_count i' <= at_count i.
Proof.
move=> ii ik; have M0 a : 0 <= sign_likelihood flip W a by rewrite ltW // sign_gt0.
rewrite /at_count -(subnKC ii) exprD -mulrA ler_wpmul2l ?exprn_ge0 //.
have -> : (k - i = (i' - i) + (k - i'))%N by rewrite addnC addnBA // subnK.
rewrite subnKC // exprD ler_wpmul2r ?exprn_ge0 //.
by rewrite ler_expn2r ?nnegrE //; case/andP: (sign_le flip_gt0 flip_le plus).
Qed.

Variable r : rat.
Hypothesis r_ge1 : 1 <= r.
Hypothesis last_k : (last <= k)%N.
Hypothesis kept_ok : at_count first <= r * at_count last.
Hypothesis outside_ok : (forall b, kept b) \/
  [/\ 0 < outside, outside <= r * at_count last & at_count first <= r * outside].

Lemma annulus_gt0 b : 0 < annulus_likelihood b.
Proof.
rewrite /annulus_likelihood; case: ifP => kb; first exact: product_gt0.
by case: outside_ok => [all|[]//]; have := all b; rewrite kb.
Qed.

Lemma kept_bounds b : kept b ->
  at_count last <= product_likelihood flip W b <= at_count first.
Proof.
case/andP=> fb bl; rewrite product_at_count !at_count_le //.
exact: minus_count_le.
Qed.

Lemma annulus_ratio b b' : annulus_likelihood b <= r * annulus_likelihood b'.
Proof.
have r0 : 0 <= r by exact: le_trans ler01 r_ge1.
rewrite /annulus_likelihood; case: ifP => kb; case: ifP => kb'.
- case/andP: (kept_bounds kb) => _ h; case/andP: (kept_bounds kb') => h' _.
  by apply: le_trans h _; apply: le_trans kept_ok _; rewrite ler_wpmul2l.
- case: outside_ok => [all|[_ _ o]]; first by have := all b'; rewrite kb'.
  by case/andP: (kept_bounds kb) => _ h; exact: le_trans h o.
- case: outside_ok => [all|[_ o _]]; first by have := all b; rewrite kb.
  case/andP: (kept_bounds kb') => h' _; apply: le_trans o _.
  by rewrite ler_wpmul2l.
- case: outside_ok => [all|[o _ _]]; first by have := all b; rewrite kb.
  by rewrite ler_pemull // ltW.
Qed.
End Annulus.
