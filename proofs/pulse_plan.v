(* From the integers of a `pulse` plan to "this plan is epsilon-private". *)
From Coq Require Import NArith ZArith Reals Lia.
From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From futurerand Require Import exp_bound binary framework invariant subset two_sided.
From futurerand Require Import certificate mixture pulse plan.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* A class: the window has b slots, the rest one for each period. *)
Record pulse_integers := Pulse { window : N; rest : N; pulses : N; high_side : N }.

Section Class.
Variables (W : N) (l : pulse_integers).
Definition last_period : nat := (nat_of_bin (rest l)).-1.
Definition num_slots : nat := (nat_of_bin (window l) + last_period).+1.
Notation noise := {ffun 'I_num_slots -> bool}.
Definition pulse_null : noise -> rat :=
  @uniform_subset [realFieldType of rat] [finType of 'I_num_slots] (nat_of_bin (pulses l)).
Definition pulse_law : noise -> rat :=
  two_sided pulse_null (hits (nat_of_bin (window l))) (nat_of_bin (high_side l)) (nat_of_bin W).

(* What a device sends: it reads two tapes, by any rule (pulse.v). *)
Section Device.
Variables (Input : Type) (Coin : finType) (mu : Coin -> rat).
Variable wants : seq Input -> Coin -> seq bool -> bool.
Definition pulse_step := subset_step (tape_slot (nat_of_bin (window l)) last_period wants).
Definition pulse_output := out (@eval_read _ _) pulse_law mu pulse_step.
End Device.

(* ---- the check ------------------------------------------------------------------ *)
Fixpoint falling (n : N) (k : nat) : N :=
  if k is k'.+1 then N.mul n (falling (N.pred n) k') else 1%num.
Lemma fallingE n k : nat_of_bin (falling n k) = (nat_of_bin n ^_ k)%N.
Proof.
elim: k n => [|k IH] n //=; rewrite mulE IH ffactnS; congr (_ * _ ^_ k)%N.
by rewrite !binE N2Nat.inj_pred.
Qed.

Definition check_class (n m : N) : bool :=
  let J := N.add (window l) (rest l) in
  let all := falling J (nat_of_bin (pulses l)) in
  let miss := falling (rest l) (nat_of_bin (pulses l)) in
  [&& N.ltb 0 (rest l), N.leb miss all &
      check_two_sided (N.sub all miss) all (high_side l) W n m].

Variables n m : N.
Hypothesis ok : check_class n m.

Let numbers : [/\ (0 < nat_of_bin m)%N, (nat_of_bin (pulses l) <= num_slots)%N,
  high_share pulse_null (hits (nat_of_bin (window l)))
    = (N.sub (falling (N.add (window l) (rest l)) (nat_of_bin (pulses l)))
         (falling (rest l) (nat_of_bin (pulses l))))%:B
      / (falling (N.add (window l) (rest l)) (nat_of_bin (pulses l)))%:B &
  num_slots = (nat_of_bin (window l) + nat_of_bin (rest l))%N].
Proof.
case/and3P: ok => /ltbE r0 /lebE le /and5P[_ _ /ltbE h0 /ltbE ha /and4P[/ltbE m0 _ _ _]].
have Js : num_slots = (nat_of_bin (window l) + nat_of_bin (rest l))%N.
  by rewrite /num_slots -addnS prednK.
have a0 : (0 < (nat_of_bin (window l) + nat_of_bin (rest l)) ^_ nat_of_bin (pulses l))%N.
  by rewrite -addE -fallingE (ltn_trans h0).
have Mj : (nat_of_bin (pulses l) <= num_slots)%N by rewrite Js -ffact_gt0.
split=> //; rewrite /pulse_null hit_share // ?Js ?leq_addr // addKn.
by rewrite subE !fallingE addE.
Qed.

Let sum1 : \sum_s pulse_null s = 1.
Proof. by case: numbers => _ Mj _ _; exact: null_sum1. Qed.

Let L h := side_likelihood pulse_null (hits (nat_of_bin (window l)))
             (nat_of_bin (high_side l)) (nat_of_bin W) h.
Let facts : [/\ \sum_s pulse_law s = 1, forall h, 0 < L h
  & forall h h', L h <= n%:B / m%:B * L h'].
Proof.
case: numbers => m0 Mj share Js; case/and3P: ok => _ _.
exact: two_sided_checked sum1 share.
Qed.

Lemma pulse_law_sum1 : \sum_s pulse_law s = 1.
Proof. by case: facts. Qed.

Variables (Input : Type) (Coin : finType) (mu : Coin -> rat).
Hypothesis mu_ge0 : forall c, 0 <= mu c.
Hypothesis mu_sum1 : \sum_c mu c = 1.
Variable wants : seq Input -> Coin -> seq bool -> bool.

Lemma pulse_null_ge0 s : 0 <= pulse_null s.
Proof. by rewrite /pulse_null /uniform_subset; case: ifP; rewrite ?invr_ge0 ?ler0n. Qed.

Lemma pulse_output_ge0 x w : 0 <= pulse_output mu wants x w.
Proof.
case: facts => _ L0 _; apply: sumr_ge0 => c _; apply: mulr_ge0 => //; apply: sumr_ge0 => s _.
by rewrite mulr_ge0 ?pulse_null_ge0 // ltW.
Qed.

Lemma class_private x x' w : (size w <= nat_of_bin (rest l))%N ->
  pulse_output mu wants x w <= n%:B / m%:B * pulse_output mu wants x' w.
Proof.
case: facts => _ L0 ratio wr.
have r0 : (0 < nat_of_bin (rest l))%N by case/and3P: ok => /ltbE.
pose h0 := if L true <= L false then true else false.
have least h : L h0 <= L h by rewrite /h0; case: (leP (L true)) => // le; case: h => //; exact: ltW.
have most h : L h <= L (~~ h0) by rewrite /h0; case: (leP (L true)) => // le; case: h => //; exact: ltW.
have bounds s : L h0 * pulse_null s <= pulse_law s <= L (~~ h0) * pulse_null s.
  by rewrite /pulse_law /two_sided !ler_wpmul2r ?pulse_null_ge0.
have once_ y c v : (size v <= last_period.+1)%N ->
    uniq (reads (device_of (tape_slot (nat_of_bin (window l)) last_period wants) y c) [::] v).
  exact: tapes_once.
have wr' : (size w <= last_period.+1)%N by rewrite /last_period prednK.
apply: le_trans (subset_private bounds mu_ge0 mu_sum1 once_ x x' (L0 _) (least _) wr') _.
by rewrite ler_wpmul2r ?pulse_output_ge0 // ler_pdivr_mulr.
Qed.
End Class.

(* Which class a device follows is a public draw, independent of its data. *)
Definition pulse_private (classes : seq pulse_integers) (epsilon : R) :=
  forall (Input : Type) (Coin : finType) (mu : Coin -> rat)
         (Draw : finType) (nu : Draw -> rat) (class : Draw -> nat)
         (wants : Draw -> seq Input -> Coin -> seq bool -> bool),
    (forall c, 0 <= mu c) -> \sum_c mu c = 1 -> (forall p, 0 <= nu p) ->
    (forall p, (class p < size classes)%N) ->
    let class_of p := nth (Pulse 1 1 1 1) classes (class p) in
    let out p := pulse_output two64 (class_of p) mu (wants p) in
    exists n m k : nat,
      [/\ (0 < m)%N, Rle (pow (Rdiv (INR n) (INR m)) k) (exp epsilon),
          forall p x x' w, (size w <= nat_of_bin (rest (class_of p)))%N ->
            joint nu out p x w <= (n%:R / m%:R) ^+ k * joint nu out p x' w &
          forall x x' w, (forall p, (size w <= nat_of_bin (rest (class_of p)))%N) ->
            \sum_p joint nu out p x w <= (n%:R / m%:R) ^+ k * \sum_p joint nu out p x' w].

Definition check_pulse (a c : N) (l : pulse_integers) : bool :=
  let '(n, m) := exp_below a c in N.ltb 0 c && check_class two64 l n m.

(* A file of `futurerand audit --coq` for `pulse` ends with it. *)
Theorem pulse_checked a c classes : all (check_pulse a c) classes ->
  pulse_private classes (Rdiv (IZR (Z.of_N a)) (IZR (Z.of_N c))).
Proof.
move=> /(all_nthP (Pulse 1 1 1 1)) ok Input Coin mu Draw nu class wants mu0 mu1 nu0 classP.
move=> class_of out.
have [p0 _|none] := pickP (mem Draw); last first.
  exists 0%N, 1%N, 1%N; split=> //= [|p|x x' w _]; last by rewrite !big_pred0 ?mulr0.
    by rewrite Rmult_1_r /Rdiv Rmult_0_l; left; exact: exp_pos.
  by have := none p.
case E: (exp_below a c) => [n m]; have := exp_below_ok a c; rewrite E => bound.
have good p : N.ltb 0 c && check_class two64 (class_of p) n m.
  by have := ok _ (classP p); rewrite /check_pulse E.
have /andP[/N.ltb_lt c0 _] := good p0.
have [|m0 le] := bound; first lia.
apply: mixture => // [p x w|p].
  by case/andP: (good p) => _ ok_p; exact: (pulse_output_ge0 ok_p).
exists (nat_of_bin n), (nat_of_bin m), 1%N; split.
- by apply/ssrnat.ltP; rewrite binE; lia.
- by rewrite /= Rmult_1_r !binE.
- move=> x x' w wr; rewrite expr1; case/andP: (good p) => _ ok_p.
  exact: (class_private ok_p).
Qed.
