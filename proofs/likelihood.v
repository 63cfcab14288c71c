(* From likelihoods to privacy.

   L = law / null is the likelihood of a noise vector. If no two of them differ
   by more than a factor r, then no two inputs of any device do. *)
From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From futurerand Require Import framework invariant product levels.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Likelihood.
Variables (J A : finType) (q : A -> rat).
Hypothesis q_sum1 : \sum_a q a = 1.
Hypothesis q_ge0 : forall a, 0 <= q a.
Notation noise := {ffun J -> A}.
Notation null := (independent q).

Variables (law L : noise -> rat) (r : rat).
Hypothesis lawE : forall b, law b = L b * null b.
Hypothesis L_gt0 : forall b, 0 < L b.
Hypothesis ratio : forall b b', L b <= r * L b'.

Lemma some_noise : noise.
Proof.
have [b _|none] := pickP (fun _ : noise => true); first exact: b.
have : \sum_(b : noise) null b = 0 by rewrite big1 // => b; have := none b.
by rewrite independent_sum1 // => /eqP; rewrite oner_eq0.
Qed.

Variables (n : nat) (Input : Type) (Coin : finType) (mu : Coin -> rat).
Hypothesis mu_ge0 : forall c, 0 <= mu c.
Hypothesis mu_sum1 : \sum_c mu c = 1.
Variable choose : seq Input -> Coin -> seq A -> choice J A.
Hypothesis signs_ok : forall xs c h j s,
  choose xs c h = Some (j, s) -> s \in preserving q.
Hypothesis taken_once : forall x c w,
  (size w <= n.+1)%N -> uniq (taken choose x c w).
Notation output := (output n q law mu choose).

Lemma output_ge0 x w : 0 <= output x w.
Proof.
apply: sumr_ge0 => c _; apply: mulr_ge0 => //; apply: sumr_ge0 => b _.
apply: mulr_ge0; last by apply: prodr_ge0.
by rewrite lawE mulr_ge0 ?independent_ge0 // ltW.
Qed.

Theorem likelihood_private x x' w : (size w <= n.+1)%N ->
  output x w <= r * output x' w.
Proof.
move=> wn.
case: (@arg_minP _ _ _ some_noise xpredT L) => // b0 _ least.
case: (@arg_maxP _ _ _ some_noise xpredT L) => // b1 _ most.
have bounds b : L b0 * null b <= law b <= L b1 * null b.
  rewrite lawE; apply/andP.
  by split; apply: ler_wpmul2r; rewrite ?independent_ge0 //; [apply: least | apply: most].
apply: le_trans (product_private q_ge0 bounds mu_ge0 mu_sum1 signs_ok taken_once
                   x x' (L_gt0 b0) (least b1 isT) wn) _.
by rewrite ler_wpmul2r ?output_ge0 // ler_pdivr_mulr.
Qed.
End Likelihood.
