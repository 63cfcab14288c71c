(* Exchangeable nulls, as in `pulse`.

   The noise is a set of M of the slots. The null draws it uniformly: it does
   not change when slots are permuted. There are no sign changes and no fresh
   symbols here. *)
From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From futurerand Require Import framework invariant.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Subset.
Variable R : realFieldType.
Variables (I : finType) (M : nat).
Notation noise := {ffun I -> bool}.
Notation no_signs := (one_group [finGroupType of {perm bool}]).
Definition uniform_subset (b : noise) : R :=
  if (\sum_i b i == M)%N then ('C(#|I|, M)%:R)^-1 else 0.

Lemma subset_invariant s g (b : noise) : (forall i, g i \in no_signs) ->
  uniform_subset (act s g b) = uniform_subset b.
Proof.
move=> g1; rewrite /uniform_subset.
suff -> : (\sum_i act s g b i = \sum_i b i)%N by [].
rewrite [RHS](reindex_inj (@perm_inj _ s)); apply: eq_bigr => i _.
by have /set1gP E := g1 i; rewrite ffunE E perm1.
Qed.

Variables (law : noise -> R) (lo hi : R).
Hypothesis bounds : forall b,
  lo * uniform_subset b <= law b <= hi * uniform_subset b.
Variables (Input : Type) (Coin : finType) (mu : Coin -> R).
Hypothesis mu_ge0 : forall c, 0 <= mu c.
Hypothesis mu_sum1 : \sum_c mu c = 1.
Variable slot : seq Input -> Coin -> seq bool -> I.     (* which slot is read *)
Definition subset_step xs c h : read I _ := (slot xs c h, 1%g : {perm bool}).
Variable periods : nat.
Hypothesis slots_once : forall x c w, (size w <= periods)%N ->
  uniq (reads (device_of slot x c) [::] w).

Lemma subset_reads_once x c w : (size w <= periods)%N ->
  once no_signs (reads (device_of subset_step x c) [::] w).
Proof.
move=> wN; have E h v : reads (device_of subset_step x c) h v =
    [seq (i, 1%g : {perm bool}) | i <- reads (device_of slot x c) h v].
  by elim: v h => //= a v IH h; rewrite IH.
rewrite /once E -map_comp map_id slots_once //= all_map.
by apply/allP => i _ /=; rewrite group1.
Qed.

Theorem subset_private x x' w : 0 < lo -> lo <= hi -> (size w <= periods)%N ->
  out (@eval_read I _) law mu subset_step x w
    <= hi / lo * out (@eval_read I _) law mu subset_step x' w.
Proof.
have alike rs rs' v : once no_signs rs -> once no_signs rs' -> size rs = size rs' ->
    pr uniform_subset (matches (@eval_read I _) rs v)
    = pr uniform_subset (matches (@eval_read I _) rs' v).
  by apply: invariant_alike; exact: subset_invariant.
exact: (framework bounds alike mu_ge0 mu_sum1 subset_reads_once).
Qed.
End Subset.
