(* Product nulls, with fresh symbols.

   The null draws each symbol independently from q. The device stores a noise
   vector over J. In each period it reads one stored symbol, possibly
   relabelled, or sends a fresh symbol from q. Fresh symbols are further
   coordinates, one for each period, so there is one kind of read only. *)
From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From futurerand Require Import framework invariant.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* The relabellings that q does not notice, such as the exchange of + and -. *)
Section Preserving.
Variables (R : realFieldType) (A : finType) (q : A -> R).
Definition preserving := [set s : {perm A} | [forall a, q (s a) == q a]].
Lemma preserving_group : group_set preserving.
Proof.
apply/group_setP; split=> [|s s'].
  by rewrite inE; apply/forallP => a; rewrite perm1.
rewrite !inE => /forallP H /forallP H'; apply/forallP => a.
by rewrite permM (eqP (H' _)) (eqP (H _)).
Qed.
Canonical preserving_subgroup := Group preserving_group.
Lemma preservingP (s : {perm A}) : reflect (forall a, q (s a) = q a) (s \in preserving).
Proof. by rewrite inE; apply: (iffP forallP) => H a; apply/eqP; apply: H. Qed.
End Preserving.

Section Product.
Variable R : realFieldType.
Variables (J A : finType) (n : nat).      (* stored symbols; n + 1 periods *)
Variable q : A -> R.
Hypothesis q_sum1 : \sum_a q a = 1.
Hypothesis q_ge0 : forall a, 0 <= q a.

Notation I := (sum_finType J (ordinal_finType n.+1)).
Notation Signs := [group of preserving q].

Definition independent (K : finType) (b : {ffun K -> A}) : R := \prod_i q (b i).

Lemma independent_ge0 (K : finType) (b : {ffun K -> A}) : 0 <= independent b.
Proof. by apply: prodr_ge0. Qed.

Lemma independent_sum1 (K : finType) : \sum_(b : {ffun K -> A}) independent b = 1.
Proof.
rewrite -(bigA_distr_bigA (fun (i : K) a => q a)) /=.
by rewrite big1 // => i _; exact: q_sum1.
Qed.

Lemma independent_invariant (K : finType) s g (b : {ffun K -> A}) :
  (forall i, g i \in Signs) -> independent (act s g b) = independent b.
Proof.
move=> gS; rewrite [RHS](reindex_inj (@perm_inj _ s)).
by apply: eq_bigr => i _; rewrite ffunE (preservingP _ _ (gS i)).
Qed.

(* The law of the stored noise, and of stored noise and fresh symbols together. *)
Variables (law : {ffun J -> A} -> R) (lo hi : R).
Hypothesis bounds : forall b, lo * independent b <= law b <= hi * independent b.
Definition stored (b : {ffun I -> A}) : {ffun J -> A} := [ffun j => b (inl j)].
Definition with_fresh (b : {ffun I -> A}) : R :=
  law (stored b) * \prod_t q (b (inr t)).

Lemma with_fresh_bounds b :
  lo * independent b <= with_fresh b <= hi * independent b.
Proof.
have -> : independent b = independent (stored b) * \prod_t q (b (inr t)).
  rewrite {1}/independent big_sumType /=; congr (_ * _).
  by apply: eq_bigr => j _; rewrite ffunE.
rewrite /with_fresh !mulrA.
have F : 0 <= \prod_t q (b (inr t)) by exact: prodr_ge0.
by apply/andP; split; apply: ler_wpmul2r => //; case/andP: (bounds (stored b)).
Qed.

(* A device chooses a stored symbol and a relabelling, or a fresh symbol. *)
Variables (Input : Type) (Coin : finType) (mu : Coin -> R).
Hypothesis mu_ge0 : forall c, 0 <= mu c.
Hypothesis mu_sum1 : \sum_c mu c = 1.
Definition choice := option (J * {perm A}).
Variable choose : seq Input -> Coin -> seq A -> choice.

Definition step (xs : seq Input) (c : Coin) (h : seq A) : read I A :=
  if choose xs c h is Some (j, s) then (inl j, s)
  else (inr (inord (size h)), 1%g).
Definition output := out (@eval_read I A) with_fresh mu step.

(* The stored symbols read on the way to the output w. *)
Definition taken x c (w : seq A) : seq J :=
  pmap (fun t => omap fst (choose (so_far x (take t w)) c (take t w)))
       (iota 0 (size w)).
Hypothesis signs_ok : forall xs c h j s,
  choose xs c h = Some (j, s) -> s \in Signs.
Hypothesis taken_once : forall x c w,
  (size w <= n.+1)%N -> uniq (taken x c w).

Lemma never_twice x c w : (size w <= n.+1)%N ->
  once Signs (reads (device_of step x c) [::] w).
Proof.
move=> wn; rewrite /once reads_nth -map_comp all_map; apply/andP; split; last first.
  apply/allP => t _ /=; rewrite /device_of /step.
  by case E: (choose _ _ _) => [[j s]|]; [exact: signs_ok E | exact: group1].
have := taken_once x c wn; rewrite /taken.
have: all (fun t => t <= n)%N (iota 0 (size w)).
  by apply/allP => t; rewrite mem_iota add0n /= => /leq_trans/(_ wn).
have: all (fun t => size (take t w) == t) (iota 0 (size w)).
  by apply/allP => t; rewrite mem_iota add0n => /ltnW tw; rewrite size_takel.
have := iota_uniq 0 (size w).
elim: (iota 0 (size w)) => //= t ts IH /andP[tts uts] /andP[/eqP st sts] /andP[tn tsn].
set ch := choose _ _ _; rewrite {1}/device_of /step -/ch.
case E: ch => [[j s]|] /=; [case/andP=> jts|]; move=> uu; rewrite IH // andbT.
  apply: contra jts => /mapP[u uts'] /=; rewrite /device_of /step.
  case E': (choose _ _ _) => [[j' s']|] //= [->].
  by rewrite mem_pmap; apply/mapP; exists u; rewrite // E'.
apply/mapP => -[u uts'] /=; rewrite /device_of /step.
case: (choose _ _ _) => [[j' s']|] //= [] /(congr1 val) /=.
rewrite st (eqP (allP sts _ uts')) !inordK ?ltnS ?(allP tsn _ uts') // => tu.
by rewrite tu uts' in tts.
Qed.

Theorem product_private x x' w : 0 < lo -> lo <= hi -> (size w <= n.+1)%N ->
  output x w <= hi / lo * output x' w.
Proof.
have alike rs rs' v : once Signs rs -> once Signs rs' -> size rs = size rs' ->
    pr (@independent I) (matches (@eval_read I A) rs v)
    = pr (@independent I) (matches (@eval_read I A) rs' v).
  by apply: invariant_alike; exact: independent_invariant.
exact: (framework with_fresh_bounds alike mu_ge0 mu_sum1 never_twice).
Qed.

Lemma with_fresh_sum1 : \sum_b law b = 1 -> \sum_b with_fresh b = 1.
Proof.
move=> law1.
pose join (c : {ffun J -> A} * {ffun 'I_n.+1 -> A}) : {ffun I -> A} :=
  [ffun i => match i with inl j => c.1 j | inr t => c.2 t end].
pose split_ (b : {ffun I -> A}) := (stored b, [ffun t : 'I_n.+1 => b (inr t)]).
have js : cancel split_ join.
  by move=> b; apply/ffunP => -[j|t]; rewrite !ffunE.
have sj : cancel join split_.
  by move=> [c e]; congr (_, _); apply/ffunP => i; rewrite !ffunE.
rewrite (reindex join) /=; last by exists split_ => b _.
rewrite (eq_bigr (fun p => law p.1 * independent p.2)) => [|p _]; last first.
  rewrite /with_fresh -[stored _]/(split_ (join p)).1 sj; congr (_ * _).
  by apply: eq_bigr => t _; rewrite !ffunE.
rewrite -(pair_big xpredT xpredT (fun b e => law b * independent e)) /= -[RHS]law1.
by apply: eq_bigr => b _; rewrite -mulr_sumr independent_sum1 mulr1.
Qed.
End Product.
