(* Devices of this project as instances of the theorem.

   A device with memory starts from coins, takes one input a period, and decides
   from its memory, the input, its coins and its earlier outputs: a level and
   whether to exchange plus and minus, or nothing, which sends a fresh symbol of the
   null. All our devices but `pulse` (pulse_plan.v) have this form. *)
From Coq Require Import NArith ZArith Reals.
From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From futurerand Require Import binary framework product levels symbol laws certificate.
From futurerand Require Import mixture plan device.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Definition exchanged (r : bool) : {perm symbol} := if r then reversal else 1%g.
Lemma exchanged_preserves l r : exchanged r \in preserving (null_of l).
Proof. by case: r; [exact: reversal_preserves | exact: (group1 [group of preserving _])]. Qed.

Section Machine.
Variables (Input Memory : Type) (Coin : finType).
Variable start : Coin -> Memory.
Variable act : Memory -> Input -> Coin -> seq symbol -> Memory * option (nat * bool).

(* The decision at the last of the inputs xs, along the outputs h. *)
Fixpoint decided m c (past h : seq symbol) (xs : seq Input) : option (nat * bool) :=
  match xs with
  | [::] => None
  | [:: x] => (act m x c past).2
  | x :: xs' => if h is a :: h' then decided (act m x c past).1 c (rcons past a) h' xs' else None
  end.
Definition machine_pick xs c h : option (nat * {perm symbol}) :=
  omap (fun read => (read.1, exchanged read.2)) (decided (start c) c [::] h xs).

Variables (W a b : N) (l : law_integers) (mu : Coin -> rat) (periods : nat).
Hypothesis checked : check W a b l.
Hypothesis mu_ge0 : forall c, 0 <= mu c.
Hypothesis mu_sum1 : \sum_c mu c = 1.
Hypothesis periods_gt0 : (0 < periods)%N.
Theorem machine_private :
  within (device_output W l mu machine_pick periods) periods
    (Rdiv (IZR (Z.of_N a)) (IZR (Z.of_N b))).
Proof.
apply: (check_private checked) => // xs c h lv s; rewrite /machine_pick.
by case: (decided _ _ _ _ _) => [[lv' r]|] //= [_ <-]; exact: exchanged_preserves.
Qed.
End Machine.

(* ---- the sign randomizer of the paper's framework --------------------------------- *)
(* The input is a partial sum, -1, 0 or 1. All signs are one level. *)
Definition sign_randomizer (Coin : finType) (m : unit) (x : int) (c : Coin) (h : seq symbol) :=
  (m, if x == 0 then None else Some (0%N, x < 0)).

Section Instances.
Variables (Coin : finType) (mu : Coin -> rat) (W a b : N) (l : law_integers) (periods : nat).
Hypothesis checked : check W a b l.
Hypothesis mu_ge0 : forall c, 0 <= mu c.
Hypothesis mu_sum1 : \sum_c mu c = 1.
Hypothesis periods_gt0 : (0 < periods)%N.
Notation epsilon := (Rdiv (IZR (Z.of_N a)) (IZR (Z.of_N b))).
Notation private pick := (within (device_output W l mu pick periods) periods epsilon).

Corollary sign_randomizer_private :
  private (machine_pick (fun=> tt) (@sign_randomizer Coin)).
Proof. exact: machine_private. Qed.

(* ---- innovation -------------------------------------------------------------------- *)
(* The device of device.v, with its start levels and its mix rule: [decide] takes the
   higher of two levels as often as the target asks for, by the decision of the period.
   A sparse law differs in its null only, which [checked] covers. *)
Variables (counts : seq nat) (gaps : seq Z) (starts : nat) (decisions : Z).
Variable decision : Coin -> nat -> Z.      (* of each period *)
Definition innovation_act (m : seq nat * seq bool) (x : bool) c (h : seq symbol) :=
  let values := x :: m.2 in
  if decide counts gaps starts decisions m.1 values (decision c (size h)) is Some (lv, r)
  then ((spend m.1 lv, values), Some (lv, r)) else ((m.1, values), None).
Definition innovation_start (c : Coin) := (nseq (size gaps) 0%N, [::] : seq bool).

Corollary innovation_private : private (machine_pick innovation_start innovation_act).
Proof. exact: machine_private. Qed.

(* ---- numbers ------------------------------------------------------------------------ *)
(* The input is a number. The memory has the numbers held, a phase that a coin starts,
   and its age; any rule makes a target of them. *)
Variables (phase : Coin -> nat) (Rest : Type) (rest : Rest).
Variable number_act : nat * seq nat * Rest -> nat -> Coin -> seq symbol ->
  (nat * seq nat * Rest) * option (nat * bool).
Corollary number_private :
  private (machine_pick (fun c => (phase c, [::], rest)) number_act).
Proof. exact: machine_private. Qed.

(* ---- values through rows ------------------------------------------------------------- *)
(* A category, a distribution or a text becomes a bit by a row. The row may depend on
   earlier reports. *)
Variables (Value : Type) (row : seq symbol -> Value -> bool).
Definition row_act m (v : Value) c h := innovation_act m (row h v) c h.
Corollary row_private : private (machine_pick innovation_start row_act).
Proof. exact: machine_private. Qed.
End Instances.
