(* Public draws.

   On joining a device draws its report type, its class or its first period. The
   draw does not depend on its data, and everybody sees it. If the output is
   private whatever was drawn, then draw and output together are private, and so
   is the output for somebody who does not see the draw. *)
From Coq Require Import Reals Lra.
From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Any two inputs give every output of these periods with probabilities within
   a factor (n / m)^k that is at most e^epsilon. *)
Definition within (X : Type) (Symbol : Type) (out : X -> seq Symbol -> rat)
    (periods : nat) (epsilon : R) :=
  exists n m k : nat,
    [/\ (0 < m)%N, Rle (pow (Rdiv (INR n) (INR m)) k) (exp epsilon) &
        forall x x' w, (size w <= periods)%N ->
          out x w <= (n%:R / m%:R) ^+ k * out x' w].

Section Mixture.
Variables (X Symbol : Type) (Draw : finType) (nu : Draw -> rat).
Variables (out : Draw -> X -> seq Symbol -> rat) (periods : Draw -> nat) (epsilon : R).
Hypothesis nu_ge0 : forall p, 0 <= nu p.
Hypothesis out_ge0 : forall p x w, 0 <= out p x w.
Hypothesis each : forall p, within (out p) (periods p) epsilon.

(* The draw p and the output w together. *)
Definition joint p x w : rat := nu p * out p x w.

(* One factor serves all draws of a list: the largest of theirs. *)
Let common (ps : seq Draw) : exists n m k : nat,
  [/\ (0 < m)%N, Rle (pow (Rdiv (INR n) (INR m)) k) (exp epsilon) &
      forall p x x' w, p \in ps -> (size w <= periods p)%N ->
        out p x w <= (n%:R / m%:R) ^+ k * out p x' w].
Proof.
elim: ps => [|p ps [n [m [k [m0 le IH]]]]].
  exists 0%N, 1%N, 1%N; split=> //=.
  rewrite Rmult_1_r /Rdiv Rmult_0_l; left; exact: exp_pos.
have [n' [m' [k' [m0' le' this]]]] := each p.
pose r : rat := (n%:R / m%:R) ^+ k; pose r' : rat := (n'%:R / m'%:R) ^+ k'.
have [rr|rr] := leP r r'; [exists n', m', k' | exists n, m, k]; split=> // q x x' w;
  rewrite inE => /orP[/eqP ->|qs] wp.
- exact: this.
- by apply: le_trans (IH _ x x' _ qs wp) _; rewrite ler_wpmul2r.
- by apply: le_trans (this x x' _ wp) _; rewrite ler_wpmul2r // ltW.
- exact: IH.
Qed.

(* For those who see the draw, and for those who see the output only. *)
Theorem mixture : exists n m k : nat,
  [/\ (0 < m)%N, Rle (pow (Rdiv (INR n) (INR m)) k) (exp epsilon),
      forall p x x' w, (size w <= periods p)%N ->
        joint p x w <= (n%:R / m%:R) ^+ k * joint p x' w &
      forall x x' w, (forall p, (size w <= periods p)%N) ->
        \sum_p joint p x w <= (n%:R / m%:R) ^+ k * \sum_p joint p x' w].
Proof.
have [n [m [k [m0 le H]]]] := common (enum Draw).
have seen p x x' w : (size w <= periods p)%N ->
    joint p x w <= (n%:R / m%:R) ^+ k * joint p x' w.
  move=> wp; rewrite /joint mulrCA ler_wpmul2l //.
  by apply: H => //; rewrite mem_enum.
exists n, m, k; split=> // x x' w wp.
by rewrite mulr_sumr; apply: ler_sum => p _; exact: seen.
Qed.
End Mixture.
