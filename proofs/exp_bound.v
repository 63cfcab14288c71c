(* Lower bounds of e^epsilon: partial sums of the exponential series. *)
From Coq Require Import Reals Lra Lia ZArith.
Open Scope R_scope.

Lemma exp_partial x N : 0 <= x ->
  sum_f_R0 (fun i => / INR (fact i) * x ^ i) N <= exp x.
Proof.
intros x0. unfold exp. destruct (exist_exp x) as [l Hl]; simpl.
apply sum_incr.
- intros e e0. destruct (Hl e e0) as [M HM]. exists M. intros n Hn. apply HM; exact Hn.
- intros n. apply Rmult_le_pos; [left; apply Rinv_0_lt_compat, INR_fact_lt_0 | apply pow_le; exact x0].
Qed.

(* For x = a / c the sum of a^i / (c^i i!) over i <= N, as S / (c^N N!). *)
Fixpoint series (a c : Z) (N : nat) : Z * Z * Z :=      (* S, c^N N!, a^N *)
  match N with
  | O => (1, 1, 1)%Z
  | S k => let '(s, q, p) := series a c k in
           let f := (c * Z.of_nat N)%Z in (s * f + p * a, q * f, p * a)%Z
  end.

Lemma series_sum a c N : (0 < c)%Z ->
  let '(s, q, p) := series a c N in
  (0 < q)%Z /\ IZR p = IZR a ^ N /\ IZR q = IZR c ^ N * INR (fact N) /\
  IZR s / IZR q = sum_f_R0 (fun i => / INR (fact i) * (IZR a / IZR c) ^ i) N.
Proof.
intros c0. assert (C0 : IZR c <> 0) by (apply not_0_IZR; lia).
induction N as [|N IH]; [simpl; repeat split; try lia; try lra; field|].
cbn [series]. destruct (series a c N) as [[s q] p]. destruct IH as (q0 & Ep & Eq & Es).
assert (Q0 : IZR q <> 0) by (apply not_0_IZR; lia).
assert (F : INR (fact (S N)) = INR (S N) * INR (fact N)) by (rewrite <- mult_INR; reflexivity).
assert (F0 : INR (fact N) <> 0) by apply INR_fact_neq_0.
assert (S0 : INR (S N) <> 0) by (apply not_0_INR; lia).
split; [nia|]. rewrite !plus_IZR, !mult_IZR, <- INR_IZR_INZ.
split; [rewrite Ep; simpl; ring|]. split; [rewrite Eq, F; simpl pow; ring|].
rewrite tech5, <- Es, F, Ep, Eq.
replace ((IZR a / IZR c) ^ S N) with (IZR a ^ S N / IZR c ^ S N)
  by (unfold Rdiv; rewrite Rpow_mult_distr, pow_inv; reflexivity).
simpl pow.
assert (P0 : IZR c ^ N <> 0) by (apply pow_nonzero; exact C0).
field. repeat split; assumption.
Qed.

(* A rational n / m just below e^(a/c). 128 terms suffice for exponents up to 16:
   the bound then falls short by a factor of less than 1 + 2^-220. *)
Definition terms : nat := 128.
Definition exp_below (a c : N) : N * N :=
  let '(s, q, _) := series (Z.of_N a) (Z.of_N c) terms in (Z.to_N s, Z.to_N q).

Lemma series_positive a c N : (0 <= a)%Z -> (0 < c)%Z ->
  let '(s, q, p) := series a c N in (0 <= s)%Z /\ (0 <= p)%Z.
Proof.
intros a0 c0. assert (H := series_sum a c N c0). revert H.
induction N as [|N IH]; [simpl; lia|].
assert (H := series_sum a c N c0).
cbn [series]. destruct (series a c N) as [[s q] p]. intros _.
destruct (IH H). split; nia.
Qed.

Lemma exp_below_ok a c : (0 < c)%N ->
  let '(n, m) := exp_below a c in
  (0 < m)%N /\ INR (N.to_nat n) / INR (N.to_nat m) <= exp (IZR (Z.of_N a) / IZR (Z.of_N c)).
Proof.
intros c0. assert (C0 : (0 < Z.of_N c)%Z) by lia. assert (A0 : (0 <= Z.of_N a)%Z) by lia.
assert (H := series_sum (Z.of_N a) (Z.of_N c) terms C0).
assert (P := series_positive (Z.of_N a) (Z.of_N c) terms A0 C0).
unfold exp_below. revert H P. generalize terms as N. intros N.
destruct (series (Z.of_N a) (Z.of_N c) N) as [[s q] p]. intros (q0 & _ & _ & Es) (s0 & _).
split; [lia|].
rewrite !INR_IZR_INZ, !N_nat_Z, !Z2N.id by lia. rewrite Es. apply exp_partial.
apply Rmult_le_pos; [apply IZR_le; exact A0 | left; apply Rinv_0_lt_compat, IZR_lt; exact C0].
Qed.

(* A k-th power stays below e^x if its base stays below e^(x/k). *)
Lemma exp_power y x k : (0 < k)%nat -> 0 <= y -> y <= exp (x / INR k) -> y ^ k <= exp x.
Proof.
intros k0 y0 H. apply Rle_trans with (exp (x / INR k) ^ k); [apply pow_incr; lra|].
assert (K : INR k <> 0) by (apply not_0_INR; lia).
assert (E : forall z n, exp z ^ n = exp (INR n * z)).
{ intros z n. induction n as [|n IH]; [simpl; rewrite Rmult_0_l, exp_0; reflexivity|].
  simpl pow. rewrite IH, <- exp_plus, S_INR. f_equal. ring. }
rewrite E. right. f_equal. field. exact K.
Qed.
