(* Symbols: plus, zero and minus, and their law under the null. *)
From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From futurerand Require Import product.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Notation symbol := (option bool).
Notation plus := (Some false).
Notation minus := (Some true).
Notation zero := (None : symbol).

Definition value (a : symbol) : int :=
  match a with plus => 1 | minus => -1 | None => 0 end.

Lemma big_symbol (R : Type) (idx : R) (op : Monoid.com_law idx) (F : symbol -> R) :
  \big[op/idx]_a F a = op (F plus) (op (F zero) (F minus)).
Proof.
rewrite (bigD1 plus) //= (bigD1 zero) //= (big_pred1 minus) // => a.
by case: a => [[]|].
Qed.

(* The exchange of plus and minus. *)
Definition reverse (a : symbol) : symbol := omap negb a.
Lemma reverse_inj : injective reverse.
Proof. by move=> [[]|] [[]|]. Qed.
Definition reversal : {perm symbol} := perm reverse_inj.

(* The null: plus and minus with weight s each, zero with weight z. A fair sign
   has s = 1 and z = 0. *)
Section Null.
Variables s z : nat.
Hypothesis s_gt0 : (0 < s)%N.
Definition null_weight (a : symbol) : nat := if a is None then z else s.
Definition null_total : nat := (s + (z + s))%N.
Definition null_law (a : symbol) : rat := (null_weight a)%:R / null_total%:R.

Lemma null_total_gt0 : (0 < null_total)%N.
Proof. by rewrite /null_total addn_gt0 s_gt0. Qed.

Lemma null_law_ge0 a : 0 <= null_law a.
Proof. by rewrite mulr_ge0 ?invr_ge0 ?ler0n. Qed.

Lemma null_law_sum1 : \sum_a null_law a = 1.
Proof.
rewrite -mulr_suml big_symbol /= -!natrD divff // pnatr_eq0 -lt0n.
exact: null_total_gt0.
Qed.

(* Devices may keep a symbol or exchange plus and minus. *)
Lemma reversal_preserves : reversal \in preserving null_law.
Proof. by apply/preservingP => -[[]|]; rewrite permE. Qed.
End Null.
