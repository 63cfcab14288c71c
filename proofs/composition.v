(* Composition: seasons and metrics one after another.

   After each message a hostile server chooses the next season from all
   messages so far: its plan, its periods and its budget. A season's message
   depends on the values inside its periods only. If two histories agree there,
   it has the same law under both. Otherwise its probabilities differ by a
   factor of at most its cost, e^epsilon of that season. *)
From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Composition.
Variables (R : realFieldType) (Value : Type) (Message : Type).
Definition history := nat -> Value.            (* the value in each period *)

(* The season that follows the messages h. A device that sits a season out
   sends a message that does not depend on its values, and pays nothing. *)
Variable message : seq Message -> history -> Message -> R.
Variables (first last : seq Message -> nat) (cost : seq Message -> R).
Variable joins : seq Message -> bool.
Hypothesis message_ge0 : forall h x a, 0 <= message h x a.
Hypothesis cost_ge1 : forall h, 1 <= cost h.

(* The season covers the periods first..last, and meets [s, s + n) if it
   shares a period with it. *)
Definition covers h t := (first h <= t <= last h)%N.
Definition meets s n h := (first h < s + n)%N && (s <= last h)%N.
Hypothesis season_local : forall h x x' a,
  (forall t, covers h t -> x t = x' t) -> message h x a = message h x' a.
Hypothesis season_private : forall h x x' a,
  message h x a <= cost h * message h x' a.
Hypothesis sits_out : forall h x x' a, ~~ joins h -> message h x a = message h x' a.

Fixpoint transcript (x : history) (h tr : seq Message) : R :=
  if tr is a :: tr' then message h x a * transcript x (rcons h a) tr' else 1.

(* The product of the costs of all joined seasons that meet a window. *)
Definition loss s n h := if joins h && meets s n h then cost h else 1.
Fixpoint losses s n (h tr : seq Message) : R :=
  if tr is a :: tr' then loss s n h * losses s n (rcons h a) tr' else 1.

Lemma transcript_ge0 x h tr : 0 <= transcript x h tr.
Proof. by elim: tr h => [|a tr IH] h /=; [exact: ler01 | exact: mulr_ge0]. Qed.

Lemma loss_ge1 s n h : 1 <= loss s n h.
Proof. by rewrite /loss; case: ifP => // _; exact: lexx. Qed.

(* Two histories that differ only inside [s, s + n). *)
Definition differ_within s n (x x' : history) :=
  forall t, ~~ (s <= t < s + n)%N -> x t = x' t.

Lemma season_loss s n x x' h a : differ_within s n x x' ->
  message h x a <= loss s n h * message h x' a.
Proof.
move=> same; rewrite /loss; case J: (joins h); last first.
  by rewrite (@sits_out h x x') ?J // mul1r.
rewrite andTb; case M: (meets s n h); first exact: season_private.
rewrite mul1r (@season_local h x x') // => t /andP[ft tl]; apply: same.
apply: contraFN M => /andP[st tn]; rewrite /meets (leq_ltn_trans ft tn).
exact: leq_trans st tl.
Qed.

(* The loss is at most the product over the seasons that meet the difference:
   in logarithms, the sum of their epsilons. *)
Theorem composition s n x x' h tr : differ_within s n x x' ->
  transcript x h tr <= losses s n h tr * transcript x' h tr.
Proof.
move=> same; elim: tr h => [|a tr IH] h /=; first by rewrite mul1r.
by rewrite mulrACA ler_pmul ?transcript_ge0 ?message_ge0 ?(season_loss _ _ same).
Qed.
End Composition.

(* The ledger's rule for a window of W periods and a promise E = e^epsilon: a
   season is joined only if its cost, times the costs of the joined seasons that
   end after its first period less W, is at most E. *)
Section Ledger.
Variables (R : realFieldType) (Message : Type).
Variables (first last : seq Message -> nat) (cost : seq Message -> R).
Variable joins : seq Message -> bool.
Variables (W : nat) (E : R).
Hypothesis W_gt0 : (0 < W)%N.
Hypothesis cost_ge1 : forall h, 1 <= cost h.
Hypothesis E_ge1 : 1 <= E.

(* The seasons so far are those that follow each first part of h. *)
Definition charged (counts : seq Message -> bool) (h : seq Message) : R :=
  \prod_(i <- iota 0 (size h) | joins (take i h) && counts (take i h))
    cost (take i h).
Definition recent f g := (f < last g + W)%N.
Hypothesis rule : forall h, joins h ->
  charged (recent (first h)) h * cost h <= E.

Lemma charged_mono (p p' : seq Message -> bool) h : (forall g, p g -> p' g) ->
  charged p h <= charged p' h.
Proof.
move=> pp'; rewrite /charged big_mkcond [leRHS]big_mkcond /=.
apply: ler_prod => i _; case: (joins _) => /=; last by rewrite ler01 lexx.
case P: (p _); first by rewrite (pp' _ P) lexx (le_trans ler01).
by rewrite ler01; case: (p' _); rewrite ?cost_ge1 ?lexx.
Qed.

Lemma charged_ge0 p h : 0 <= charged p h.
Proof. by apply: prodr_ge0 => i _; exact: le_trans ler01 (cost_ge1 _). Qed.

Lemma charged_rcons p h a : charged p (rcons h a) =
  charged p h * (if joins h && p h then cost h else 1).
Proof.
rewrite /charged size_rcons -addn1 iotaD big_cat /= add0n big_cons big_nil.
have -> : take (size h) (rcons h a) = h by rewrite -cats1 take_size_cat.
congr (_ * _); last by case: ifP; rewrite ?mulr1.
rewrite big_mkcond [RHS]big_mkcond /= !big_seq; apply: eq_bigr => i.
rewrite mem_iota add0n => /andP[_ ih].
by rewrite -cats1 takel_cat // ltnW.
Qed.

(* No window is charged more than E, whatever the server does. *)
Theorem ledger s h :
  charged (meets first last s W) h <= E.
Proof.
elim/last_ind: h => [|h a IH]; first by rewrite /charged big_nil.
rewrite charged_rcons; case: ifP => [/andP[J M]|_]; last by rewrite mulr1.
apply: le_trans (rule J); apply: ler_wpmul2r.
  exact: le_trans ler01 (cost_ge1 _).
apply: charged_mono => g /andP[_ sg]; case/andP: M => fs _; rewrite /recent.
by rewrite (leq_trans fs) // leq_add2r.
Qed.
End Ledger.

Section Promise.
Variables (R : realFieldType) (Value Message : Type).
Variable message : seq Message -> history Value -> Message -> R.
Variables (first last : seq Message -> nat) (cost : seq Message -> R).
Variables (joins : seq Message -> bool) (W : nat) (E : R).
Hypothesis message_ge0 : forall h x a, 0 <= message h x a.
Hypothesis cost_ge1 : forall h, 1 <= cost h.
Hypothesis E_ge1 : 1 <= E.
Hypothesis season_local : forall h x x' a,
  (forall t, covers first last h t -> x t = x' t) -> message h x a = message h x' a.
Hypothesis season_private : forall h x x' a,
  message h x a <= cost h * message h x' a.
Hypothesis sits_out : forall h x x' a, ~~ joins h -> message h x a = message h x' a.
Hypothesis rule : forall h, joins h ->
  charged cost joins (recent last W (first h)) h * cost h <= E.

Lemma losses_charged s n h tr :
  losses first last cost joins s n h tr * charged cost joins (meets first last s n) h
  = charged cost joins (meets first last s n) (h ++ tr).
Proof.
elim: tr h => [|a tr IH] h /=; first by rewrite mul1r cats0.
rewrite -cat_rcons -IH charged_rcons /loss.
by rewrite [X in _ = _ * X]mulrC mulrA [X in X * _ = _]mulrC.
Qed.

(* The window promise: histories that differ only inside W periods give every
   transcript with probabilities within E. *)
Theorem window_promise s x x' tr : differ_within s W x x' ->
  transcript message x [::] tr <= E * transcript message x' [::] tr.
Proof.
move=> same.
apply: le_trans (composition message_ge0 season_local season_private sits_out _ _ same) _.
apply: ler_wpmul2r; first exact: transcript_ge0.
have := losses_charged s W [::] tr; rewrite /charged big_nil mulr1 /= => ->.
exact: ledger.
Qed.
End Promise.
