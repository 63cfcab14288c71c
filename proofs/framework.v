(* The theorem of the framework.

   A device holds noise, drawn before it sees any input. In each period it
   reads one coordinate of the noise and sends what it read. It decides online
   which one: from the inputs so far, from coins that are independent of the
   noise, and from its own earlier outputs. Then any two inputs give every
   output with probabilities within a factor hi / lo, where
   lo * null <= law <= hi * null. *)
From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Framework.
Variable R : realFieldType.
Variables (Noise : finType) (Symbol : eqType) (Read : Type).
Variable eval : Read -> Noise -> Symbol.    (* what a read of this noise gives *)

(* The probability of an event over finite noise. *)
Definition pr (P : Noise -> R) (event : pred Noise) : R := \sum_(b | event b) P b.

(* A device whose input and coins are fixed: earlier outputs to the next read. *)
Definition device := seq Symbol -> Read.

(* What it sends in n periods, after it has sent h. *)
Fixpoint run n (D : device) (h : seq Symbol) (b : Noise) : seq Symbol :=
  if n is n'.+1 then let a := eval (D h) b in a :: run n' D (rcons h a) b
  else [::].

(* The reads that lead to the output w. They do not depend on the noise. *)
Fixpoint reads (D : device) (h w : seq Symbol) : seq Read :=
  if w is a :: w' then D h :: reads D (rcons h a) w' else [::].

(* These reads of the noise b give the symbols w. *)
Definition matches (rs : seq Read) (w : seq Symbol) (b : Noise) :=
  [seq eval r b | r <- rs] == w.

Lemma size_reads D h w : size (reads D h w) = size w.
Proof. by elim: w h => //= a w IH h; rewrite IH. Qed.

Lemma size_run n D h b : size (run n D h b) = n.
Proof. by elim: n h => //= n IH h; rewrite IH. Qed.

(* The key step: "the output is w" is a statement about fixed reads. *)
Lemma run_matches D h w b :
  (run (size w) D h b == w) = matches (reads D h w) w b.
Proof.
rewrite /matches; elim: w h => //= a w IH h; rewrite !eqseq_cons.
by case: eqP => //= ->; apply: IH.
Qed.

(* The read in each period is the device's choice after the outputs before. *)
Lemma reads_nth (D : device) w :
  reads D [::] w = [seq D (take t w) | t <- iota 0 (size w)].
Proof.
suff H h v : reads D h v = [seq D (take t (h ++ v)) | t <- iota (size h) (size v)].
  exact: H.
elim: v h => //= a v IH h; rewrite IH size_rcons cat_rcons.
by rewrite take_size_cat.
Qed.

Variables (null law : Noise -> R) (lo hi : R).
Hypothesis bounds : forall b, lo * null b <= law b <= hi * null b.

(* Admissible reads: no coordinate twice. Under the null, all of them look alike. *)
Variable admissible : seq Read -> bool.
Hypothesis alike : forall rs rs' w, admissible rs -> admissible rs' ->
  size rs = size rs' -> pr null (matches rs w) = pr null (matches rs' w).

Lemma device_bounds D w rs :
  admissible (reads D [::] w) -> admissible rs -> size rs = size w ->
  lo * pr null (matches rs w)
    <= pr law (fun b => run (size w) D [::] b == w)
    <= hi * pr null (matches rs w).
Proof.
move=> ok ok' sz; rewrite (@alike rs (reads D [::] w)) ?size_reads // /pr.
rewrite (eq_bigl _ _ (run_matches D [::] w)) !mulr_sumr.
by apply/andP; split; apply: ler_sum => b _; case/andP: (bounds b).
Qed.

(* Inputs and coins. [step] sees the inputs so far, the coins and the earlier
   outputs. The next input may itself react to the earlier outputs. *)
Variables (Input : Type) (Coin : finType) (mu : Coin -> R).
Hypothesis mu_ge0 : forall c, 0 <= mu c.
Hypothesis mu_sum1 : \sum_c mu c = 1.
Variable step : seq Input -> Coin -> seq Symbol -> Read.

Definition so_far (x : seq Symbol -> Input) (h : seq Symbol) : seq Input :=
  [seq x (take i h) | i <- iota 0 (size h).+1].
Definition device_of (x : seq Symbol -> Input) (c : Coin) : device :=
  fun h => step (so_far x h) c h.

(* The probability that the input x gives the output w. *)
Definition out (x : seq Symbol -> Input) (w : seq Symbol) : R :=
  \sum_c mu c * pr law (fun b => run (size w) (device_of x c) [::] b == w).

Variable periods : nat.
Hypothesis never_twice : forall x c w, (size w <= periods)%N ->
  admissible (reads (device_of x c) [::] w).

Lemma out_bounds x w rs :
  (size w <= periods)%N -> admissible rs -> size rs = size w ->
  lo * pr null (matches rs w) <= out x w <= hi * pr null (matches rs w).
Proof.
move=> wN ok sz.
have E r : r = \sum_c mu c * r by rewrite -mulr_suml mu_sum1 mul1r.
rewrite [lo * _]E [hi * _]E /out.
apply/andP; split; apply: ler_sum => c _; apply: ler_wpmul2l => //;
by case/andP: (device_bounds (never_twice x c wN) ok sz).
Qed.

Theorem framework x x' w : 0 < lo -> lo <= hi -> (size w <= periods)%N ->
  out x w <= hi / lo * out x' w.
Proof.
move=> lo0 lohi wN.
have [c _|none] := pickP (mem Coin); last first.
  by have /eqP := mu_sum1; rewrite big_pred0 // eq_sym oner_eq0.
have B y := out_bounds y wN (never_twice x c wN) (size_reads _ _ _).
case/andP: (B x) => _ /le_trans; apply; case/andP: (B x') => H _.
rewrite -mulrA; apply: ler_wpmul2l; first exact: le_trans (ltW lo0) lohi.
by rewrite mulrC ler_pdivl_mulr // mulrC.
Qed.

(* Online: an output, or a first part of one, depends on the inputs up to there. *)
Lemma online x x' w :
  (forall h, size h < size w -> prefix h w -> x h = x' h)%N ->
  out x w = out x' w.
Proof.
move=> same; apply: eq_bigr => c _; congr (_ * _); apply: eq_bigl => b.
rewrite !run_matches; congr (matches _ w b).
suff H h v : h ++ v = w ->
  reads (device_of x c) h v = reads (device_of x' c) h v by exact: H.
elim: v h => //= a v IH h E; rewrite IH ?cat_rcons //; congr (_ :: _).
rewrite /device_of; congr (step _ c h); apply/eq_in_map => i.
rewrite mem_iota add0n ltnS /= => ih; apply: same.
  by rewrite -E size_cat /= size_takel // -addSnnS ltn_addr // ltnS.
apply/prefixP; exists (drop i h ++ a :: v).
by rewrite catA cat_take_drop E.
Qed.

End Framework.

(* Over all outputs of n periods the probabilities sum to one. *)
Lemma out_sum1 (R : realFieldType) (Noise Symbol : finType) (Read Input : Type)
    (Coin : finType) (eval : Read -> Noise -> Symbol) (law : Noise -> R)
    (mu : Coin -> R) (step : seq Input -> Coin -> seq Symbol -> Read) x n :
  \sum_b law b = 1 -> \sum_c mu c = 1 ->
  \sum_(w : n.-tuple Symbol) out eval law mu step x w = 1.
Proof.
move=> law1 mu1; rewrite /out exchange_big /= -[RHS]mu1; apply: eq_bigr => c _.
rewrite -mulr_sumr -[RHS]mulr1; congr (_ * _).
rewrite /pr (exchange_big_dep xpredT) //= -[RHS]law1; apply: eq_bigr => b _.
pose v := run eval n (device_of step x c) [::] b.
have sv : size v == n by rewrite size_run.
rewrite (big_pred1 (Tuple sv)) // => w /=.
by rewrite size_tuple -val_eqE eq_sym.
Qed.
