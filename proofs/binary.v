(* Numbers that are computed with are binary (N). These lemmas say what they
   mean as natural numbers, of which the theorems speak. *)
From Coq Require Import NArith ZArith Lia.
From mathcomp Require Import all_ssreflect.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

Lemma binE n : nat_of_bin n = N.to_nat n.
Proof.
case: n => //= p; elim: p => //= p IH; rewrite NatTrec.doubleE IH -addnn.
- rewrite Pos2Nat.inj_xI; change addn with Nat.add; lia.
- rewrite Pos2Nat.inj_xO; change addn with Nat.add; lia.
Qed.

Lemma lebE a b : N.leb a b -> nat_of_bin a <= nat_of_bin b.
Proof. by move/N.leb_le => H; rewrite !binE; apply/ssrnat.leP; lia. Qed.

Lemma ltbE a b : N.ltb a b -> nat_of_bin a < nat_of_bin b.
Proof. by move/N.ltb_lt => H; rewrite !binE; apply/ssrnat.ltP; lia. Qed.

Lemma eqbE a b : N.eqb a b = (nat_of_bin a == nat_of_bin b).
Proof.
apply/idP/eqP; first by move/N.eqb_eq ->.
by rewrite !binE => H; apply/N.eqb_eq; lia.
Qed.

Lemma subE a b : nat_of_bin (N.sub a b) = nat_of_bin a - nat_of_bin b.
Proof. by rewrite !binE N2Nat.inj_sub. Qed.

Lemma addE a b : nat_of_bin (N.add a b) = nat_of_bin a + nat_of_bin b.
Proof. exact: nat_of_add_bin. Qed.

Lemma mulE a b : nat_of_bin (N.mul a b) = nat_of_bin a * nat_of_bin b.
Proof. exact: nat_of_mul_bin. Qed.

Lemma powE a k : nat_of_bin (N.pow a k) = nat_of_bin a ^ nat_of_bin k.
Proof.
rewrite !binE; elim/N.peano_ind: k => // k IH.
by rewrite N.pow_succ_r' N2Nat.inj_succ N2Nat.inj_mul IH expnS.
Qed.

Lemma div2E a : nat_of_bin (N.div2 a) = (nat_of_bin a)./2.
Proof.
rewrite !binE N2Nat.inj_div2.
elim/ltn_ind: (N.to_nat a) => -[|[|n]] IH //=; congr _.+1.
by rewrite IH.
Qed.
