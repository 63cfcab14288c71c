(* The law and the device of `pulse`, and its certificate.

   The noise is a set of M of the J slots. With probability T / W it is uniform
   among the sets that hit the first b slots, the window, else uniform among the
   others. A device reads two tapes, the window and the rest. *)
From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From futurerand Require Import framework invariant levels subset two_sided.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* ---- sets of M slots --------------------------------------------------------- *)
Section Sets.
Variables (J M b : nat).
Notation noise := {ffun 'I_J -> bool}.
Notation null := (@uniform_subset [realFieldType of rat] [finType of 'I_J] M).
Definition hits (s : noise) : bool := [exists i : 'I_J, (i < b)%N && s i].

Definition set_of (s : noise) : {set 'I_J} := [set i | s i].
Definition noise_of (A : {set 'I_J}) : noise := [ffun i => i \in A].
Lemma set_ofK : cancel set_of noise_of.
Proof. by move=> s; apply/ffunP => i; rewrite ffunE inE. Qed.
Lemma noise_ofK : cancel noise_of set_of.
Proof. by move=> A; apply/setP => i; rewrite inE ffunE. Qed.

Lemma sum_card (A : {set 'I_J}) : (\sum_i noise_of A i)%N = #|A|.
Proof.
rewrite -sum1_card [RHS]big_mkcond /=; apply: eq_bigr => i _.
by rewrite ffunE; case: (i \in A).
Qed.

Hypothesis M_le : (M <= J)%N.
Notation binom n := ('C(n, M)%:R : rat).
Lemma binom_gt0 : 0 < binom J. Proof. by rewrite ltr0n bin_gt0. Qed.

Lemma sum_null (P : pred noise) :
  \sum_(s | P s) null s = #|[set A | P (noise_of A) & #|A| == M]|%:R / binom J.
Proof.
rewrite (reindex noise_of) /=; last first.
  by exists set_of => s _; [exact: noise_ofK | exact: set_ofK].
rewrite -sum1_card natr_sum mulr_suml big_mkcond [RHS]big_mkcond.
apply: eq_bigr => A _; rewrite inE /uniform_subset sum_card card_ord mul1r.
by case: (P _); case: (#|A| == M).
Qed.

Lemma null_sum1 : \sum_s null s = 1.
Proof.
rewrite sum_null; have -> : #|[set A : {set 'I_J} | true & #|A| == M]| = 'C(J, M).
  by rewrite -[in RHS](card_ord J) -card_draws; apply: eq_card => A; rewrite !inE.
by rewrite divff ?gt_eqF ?binom_gt0.
Qed.

Hypothesis b_le : (b <= J)%N.
Lemma miss_share : \sum_(s | ~~ hits s) null s = binom (J - b) / binom J.
Proof.
rewrite sum_null; congr (_%:R / _).
pose B := [set i : 'I_J | (b <= i)%N].
have cB : #|B| = (J - b)%N.
  rewrite cardsE -sum1_card big_mkcond /= -(big_mkord xpredT (fun i => if (b <= i)%N then 1 else 0)%N).
  rewrite -(subnKC b_le) /index_iota subn0 iotaD big_cat /= add0n.
  rewrite big1_seq ?add0n => [|i]; last first.
    by rewrite mem_iota add0n => /andP[_ /andP[_ ib]]; rewrite leqNgt ib.
  rewrite (eq_big_seq (fun=> 1%N)) => [|i]; last by rewrite mem_iota => /andP[-> _].
  by rewrite sum1_size size_iota addKn.
rewrite -cB -cards_draws; apply: eq_card => A; rewrite !inE; congr (_ && _).
rewrite negb_exists; apply/forallP/subsetP => [none i iA|sub i].
  by have := none i; rewrite inE ffunE iA andbT -leqNgt.
rewrite ffunE negb_and -leqNgt; case iA: (i \in A); last by rewrite orbT.
by have := sub i iA; rewrite inE => ->.
Qed.

(* Falling factorials have the same ratio as the binomials. *)
Lemma hit_share : high_share null hits = (J ^_ M - (J - b) ^_ M)%:R / (J ^_ M)%:R.
Proof.
have := low_share null_sum1 hits; rewrite miss_share => E.
have F0 : (M`!)%:R != 0 :> rat by rewrite pnatr_eq0 -lt0n fact_gt0.
have B : binom (J - b) / binom J = ((J - b) ^_ M)%:R / (J ^_ M)%:R.
  by rewrite -!bin_ffact !natrM invfM mulrACA divff // mulr1.
have N0 : (J ^_ M)%:R != 0 :> rat by rewrite pnatr_eq0 -lt0n ffact_gt0.
rewrite natrB ?mulrBl ?divff // -?B ?E; first by rewrite opprB addrCA subrr addr0.
by rewrite -!bin_ffact leq_mul2r leq_bin2l ?leq_subr ?orbT.
Qed.
End Sets.

(* ---- the device ---------------------------------------------------------------- *)
(* In each period any rule, from the inputs so far, coins that are independent of
   the noise and earlier outputs, says whether the device would read the window.
   It reads the next slot of the window while there is one, else the next slot
   of the rest. The rest has a slot for each of the n + 1 periods. *)
Section Tapes.
Variables (b n : nat) (Input : Type) (Coin : finType).
Notation periods := n.+1.
Notation J := (b + n).+1.
Variable wants : seq Input -> Coin -> seq bool -> bool.

(* How many slots of the window were read in the first t periods. *)
Fixpoint window_read t xs c h : nat :=
  if t is t'.+1 then
    let u := window_read t' xs c h in
    (u + (wants (take t xs) c (take t' h) && (u < b)))%N
  else 0.
Lemma window_readS t xs c h : window_read t.+1 xs c h =
  (window_read t xs c h + (wants (take t.+1 xs) c (take t h) && (window_read t xs c h < b)))%N.
Proof. by []. Qed.
Definition tape_slot xs c h : 'I_J :=
  let u := window_read (size h) xs c h in
  if wants xs c h && (u < b)%N then inord u else inord (b + (size h - u)).

Section Along.
Variables (x : seq bool -> Input) (c : Coin) (w : seq bool).
Let at_window t u := wants (so_far x (take t w)) c (take t w) && (u < b)%N.
Fixpoint along i : nat := if i is i'.+1 then (along i' + at_window i' (along i'))%N else 0.

Lemma window_readE t i : (i <= t)%N -> (t <= size w)%N ->
  window_read i (so_far x (take t w)) c (take t w) = along i.
Proof.
elim: i => // i IH it tw; rewrite window_readS IH ?(ltnW it) //.
by rewrite so_far_take ?size_takel ?(ltnW it) // take_take ?(ltnW it).
Qed.

Lemma along_le i : (along i <= i)%N.
Proof.
elim: i => //= i IH; case: (at_window _ _); last by rewrite addn0 leqW.
by rewrite addn1 ltnS.
Qed.
Lemma along_up i j : (i <= j)%N -> (along i <= along j)%N.
Proof.
move=> ij; rewrite -(subnKC ij); elim: (j - i)%N => [|k IH]; first by rewrite addn0.
by rewrite addnS /= (leq_trans IH) ?leq_addr.
Qed.
Lemma along_rest_up i j : (i <= j)%N -> (i - along i <= j - along j)%N.
Proof.
move=> ij; rewrite -(subnKC ij); elim: (j - i)%N => [|k IH]; first by rewrite addn0.
apply: leq_trans IH _; rewrite addnS /=; case: (at_window _ _).
  by rewrite addn1 subSS.
by rewrite addn0 leq_sub2r.
Qed.

Definition slot_number t : nat :=
  if at_window t (along t) then along t else (b + (t - along t))%N.
Lemma slot_numberE t : (t < size w)%N -> (size w <= periods)%N ->
  nat_of_ord (tape_slot (so_far x (take t w)) c (take t w)) = slot_number t.
Proof.
move=> tw wp; rewrite /tape_slot size_takel ?(ltnW tw) // window_readE ?(ltnW tw) //.
rewrite /slot_number /at_window; case: ifP => [/andP[_ ub]|_]; rewrite inordK //.
  by rewrite ltnS ltnW // ltn_addr.
by rewrite ltnS leq_add2l (leq_trans (leq_subr _ _)) // -ltnS (leq_trans tw).
Qed.

Lemma slot_number_lt t u : (t < u)%N -> slot_number t != slot_number u.
Proof.
move=> tu; rewrite /slot_number.
have up := along_up tu; have rest := along_rest_up tu.
move: up rest => /=; case T: (at_window t _); case U: (at_window u _).
- by rewrite addn1 => up _; rewrite ltn_eqF.
- move=> _ _; rewrite ltn_eqF // ltn_addr //.
  by case/andP: T.
- move=> _ _; rewrite gtn_eqF // ltn_addr //.
  by case/andP: U.
- rewrite addn0 => _ rest; rewrite eqn_add2l ltn_eqF //.
  by apply: leq_trans rest; rewrite subSn ?along_le.
Qed.
End Along.

Lemma tapes_once x c w : (size w <= periods)%N ->
  uniq (reads (device_of tape_slot x c) [::] w).
Proof.
move=> wp; rewrite reads_nth map_inj_in_uniq ?iota_uniq // => t u.
rewrite !mem_iota !add0n /= => tw uw /(congr1 (@nat_of_ord _)).
rewrite /device_of !slot_numberE // => E.
case: (ltngtP t u) => // /(slot_number_lt x c w); first by rewrite E eqxx.
by rewrite E eqxx.
Qed.
End Tapes.
