(* From the integers of a plan to "this plan is epsilon-private". *)
From Coq Require Import NArith ZArith Reals Lia.
From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From futurerand Require Import exp_bound binary framework product levels likelihood.
From futurerand Require Import symbol counting laws certificate certificate_symmetric mixture.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Thresholds are out of 2^64. *)
Definition two64 : N := 18446744073709551616.

(* ---- what is promised ------------------------------------------------------- *)

(* The output of a device: in each period it picks a level and whether to
   exchange plus and minus, from its inputs so far, coins that are independent
   of the noise, and its own earlier outputs. It sends the next unused symbol of
   that level, or a fresh symbol of the null. *)
Section Device.
Variables (W : N) (l : law_integers) (Input : Type) (Coin : finType) (mu : Coin -> rat).
Variable pick : seq Input -> Coin -> seq symbol -> option (nat * {perm symbol}).
Definition slot := @run_slot [seq nat_of_bin r.1 | r <- runs l] (num_signs l).
Definition device_output (periods : nat) :=
  output periods.-1 (null_of l) (law_of W (l := l)) mu (next slot pick).
End Device.

Definition law_private (W : N) (l : law_integers) (epsilon : R) :=
  forall (Input : Type) (Coin : finType) (mu : Coin -> rat)
         (pick : seq Input -> Coin -> seq symbol -> option (nat * {perm symbol}))
         (periods : nat),
    (forall c, 0 <= mu c) -> \sum_c mu c = 1 ->
    (forall xs c h lv s, pick xs c h = Some (lv, s) -> s \in preserving (null_of l)) ->
    (0 < periods)%N ->
    within (@device_output W l Input Coin mu pick periods) periods epsilon.

(* A plan has one law or several. Which one a device follows is a public draw,
   independent of its data, and so is when it starts. Draw and output together
   are private, and so is the output alone. *)
Definition plan_private (laws : seq law_integers) (epsilon : R) :=
  forall (Input : Type) (Coin : finType) (mu : Coin -> rat)
         (Draw : finType) (nu : Draw -> rat) (view : Draw -> nat)
         (pick : Draw -> seq Input -> Coin -> seq symbol -> option (nat * {perm symbol}))
         (periods : Draw -> nat),
    (forall c, 0 <= mu c) -> \sum_c mu c = 1 -> (forall p, 0 <= nu p) ->
    (forall p, (view p < size laws)%N) -> (forall p, (0 < periods p)%N) ->
    (forall p xs c h lv s, pick p xs c h = Some (lv, s) ->
       s \in preserving (null_of (nth (Product 1 1) laws (view p)))) ->
    let out p := @device_output two64 (nth (Product 1 1) laws (view p)) Input Coin mu
                   (pick p) (periods p) in
    exists n m k : nat,
      [/\ (0 < m)%N, Rle (pow (Rdiv (INR n) (INR m)) k) (exp epsilon),
          forall p x x' w, (size w <= periods p)%N ->
            joint nu out p x w <= (n%:R / m%:R) ^+ k * joint nu out p x' w &
          forall x x' w, (forall p, (size w <= periods p)%N) ->
            \sum_p joint nu out p x w <= (n%:R / m%:R) ^+ k * \sum_p joint nu out p x' w].

(* ---- the check ---------------------------------------------------------------- *)
Definition exponent (l : law_integers) : N := if l is Product k _ then k else 1%num.
Definition check_law (W : N) (l : law_integers) (n m : N) : bool :=
  match l with
  | Product _ flip => check_product flip W n m
  | Single k flip => check_single k flip W n m
  | Annulus k flip first last => check_annulus k flip first last W n m
  | Threshold k tau low => check_threshold k tau low W n m
  | WeightedThreshold levels theta high nonzero => check_weighted levels theta high nonzero W n m
  end.

(* epsilon = a / c *)
Definition check (W : N) (a c : N) (l : law_integers) : bool :=
  let '(n, m) := exp_below a (N.mul c (exponent l)) in
  [&& N.ltb 0 c, N.ltb 0 (exponent l), N.ltb 0 (sign_weight l) & check_law W l n m].

Lemma check_certified W l n m : check_law W l n m ->
  certified (law_of W (l := l)) ((n%:B / m%:B) ^+ nat_of_bin (exponent l)).
Proof.
case: l => [k flip|k flip|k flip first last|k tau low|levels theta high nonzero] /=.
- move=> ok; have := product_certified k ok.
  by rewrite -count_signsE /= addE addn0.
- by rewrite expr1; exact: single_certified.
- by rewrite expr1; exact: annulus_certified.
- by rewrite expr1; exact: threshold_certified.
- by rewrite expr1; exact: weighted_certified.
Qed.

Lemma exponent_bound a c e : (0 < c)%num -> (0 < e)%num ->
  Rdiv (Rdiv (IZR (Z.of_N a)) (IZR (Z.of_N c))) (INR (N.to_nat e))
  = Rdiv (IZR (Z.of_N a)) (IZR (Z.of_N (N.mul c e))).
Proof.
move=> c0 e0; rewrite N2Z.inj_mul mult_IZR INR_IZR_INZ N_nat_Z.
have C : IZR (Z.of_N c) <> IZR 0 by apply: not_0_IZR; lia.
have E : IZR (Z.of_N e) <> IZR 0 by apply: not_0_IZR; lia.
by field.
Qed.

Theorem check_private W a c l : check W a c l ->
  law_private W l (Rdiv (IZR (Z.of_N a)) (IZR (Z.of_N c))).
Proof.
rewrite /check; have := exp_below_ok a (N.mul c (exponent l)).
case: (exp_below _ _) => n m bound /and4P[c0 e0 /ltbE s0 /check_certified[_ [L [lawE L_gt0 ratio]]]].
have {c0 e0} [c0 e0] : (0 < c)%num /\ (0 < exponent l)%num by split; exact/N.ltb_lt.
have [|m0 le] := bound; first lia.
move=> Input Coin mu pick periods mu0 mu1 signs p0.
exists (nat_of_bin n), (nat_of_bin m), (nat_of_bin (exponent l)); split.
- by apply/ssrnat.ltP; rewrite binE; lia.
- rewrite !binE; apply: exp_power.
  + lia.
  + by apply: Rmult_le_pos; [exact: pos_INR | left; apply: Rinv_0_lt_compat; apply: lt_0_INR; lia].
  + by rewrite exponent_bound.
move=> x x' w wp.
apply: (likelihood_private _ _ lawE L_gt0 ratio) => //.
- exact: null_law_sum1.
- exact: null_law_ge0.
- by apply: next_signs => xs c' h lv s; exact: signs.
- by move=> x0 c' w' _; apply: levels_once; exact: run_slot_inj.
- by rewrite prednK.
Qed.

Lemma check_output_ge0 W a c l Input Coin mu pick periods x w : check W a c l ->
  (forall c, 0 <= mu c) -> 0 <= @device_output W l Input Coin mu pick periods x w.
Proof.
rewrite /check; case: (exp_below _ _) => n m.
case/and4P=> _ _ _ /check_certified[_ [L [lawE L_gt0 _]]] mu0.
exact: (output_ge0 (null_law_ge0 _ _) lawE L_gt0).
Qed.

(* All laws of a plan at once. A file of `futurerand audit --coq` ends with it. *)
Theorem plan_checked a c laws : all (check two64 a c) laws ->
  plan_private laws (Rdiv (IZR (Z.of_N a)) (IZR (Z.of_N c))).
Proof.
move=> /(all_nthP (Product 1 1)) ok Input Coin mu Draw nu view pick periods.
move=> mu0 mu1 nu0 viewP p0 signs; apply: mixture => // [p x w|p].
  exact: check_output_ge0 (ok _ (viewP p)) mu0.
by apply: (check_private (ok _ (viewP p))) => // xs c' h lv s; exact: signs.
Qed.
