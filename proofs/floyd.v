(* Uniform sets by Floyd's algorithm, as the samplers draw them.

   To draw M of k positions: for j = k - M, .., k - 1 draw p uniformly in 0..j, and
   add p to the set, or j if p is there already. *)
From mathcomp Require Import all_ssreflect all_algebra.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Floyd.
Variables k M : nat.
Hypothesis M_le : (M <= k)%N.
Notation set := {set 'I_k}.
Definition add_one (j p : 'I_k) (S : set) : set := if p \in S then j |: S else p |: S.

(* The probability of each set after i steps. *)
Fixpoint floyd (i : nat) (S : set) : rat :=
  if i is i'.+1 then
    \sum_(p : 'I_k | (p <= k - M + i')%N) \sum_(S' | add_one (insubd p (k - M + i')%N) p S' == S)
      floyd i' S' / (k - M + i').+1%:R
  else (S == set0)%:R.

(* The sets that are possible after i steps. *)
Definition possible i (S : set) : bool :=
  (#|S| == i) && [forall x in S, (x < k - M + i)%N].

Lemma step_back i (j p : 'I_k) (S S' : set) : (j = k - M + i :> nat)%N -> (p <= j)%N ->
  possible i S' && (add_one j p S' == S) =
  [&& possible i.+1 S, p \in S & S' == (if j \in S then S :\ j else S :\ p)].
Proof.
move=> Ej pj; apply/andP/and3P => [[/andP[/eqP c /forall_inP small] /eqP <-]|[/andP[/eqP c /forall_inP small] pS /eqP ->]].
  have jS : j \notin S' by apply/negP => /small; rewrite Ej ltnn.
  have lt x : x \in S' -> (x < k - M + i.+1)%N by move/small => h; rewrite addnS ltnW.
  rewrite /add_one; case: ifP => pS; rewrite /possible cardsU1.
    rewrite jS c add1n eqxx !inE eqxx pS orbT setU1K //; split=> //.
    by apply/forall_inP => x; rewrite !inE => /orP[/eqP ->|/lt//]; rewrite Ej addnS.
  rewrite pS c add1n eqxx !inE eqxx (negbTE jS) orbF; split=> //.
    by apply/forall_inP => x; rewrite !inE => /orP[/eqP ->|/lt//]; rewrite addnS ltnS -Ej.
  by case: (j =P p) => [->|_]; rewrite setU1K // pS.
have lt x : x \in S -> (x <= j)%N by move/small; rewrite addnS ltnS -Ej.
case: ifP => jS; rewrite /possible /add_one.
  rewrite (cardsD1 j) jS add1n in c; case: c => ->; rewrite eqxx; split.
    apply/forall_inP => x; rewrite !inE => /andP[xj /lt xS].
    by rewrite -Ej ltn_neqAle xS andbT.
  by rewrite !inE pS andbT; case: (p =P j) => /= [->|_]; rewrite setD1K.
have cp := c; rewrite (cardsD1 p) pS add1n in c; case: c => ->; rewrite eqxx; split.
  apply/forall_inP => x; rewrite !inE => /andP[_ xS]; rewrite -Ej ltn_neqAle lt // andbT.
  by apply: contraFneq jS => /val_inj <-.
by rewrite !inE eqxx /= setD1K.
Qed.

Lemma floydE i S : (i <= M)%N ->
  floyd i S = if possible i S then 'C(k - M + i, i)%:R^-1 else 0.
Proof.
elim: i S => [|i IH] S iM.
  rewrite /= /possible bin0 invr1 cards_eq0; case: eqP => [->|//].
  by rewrite ifT //; apply/forall_inP => x; rewrite inE.
have jk : (k - M + i < k)%N by rewrite -[X in (_ < X)%N](subnK M_le) ltn_add2l.
pose j : 'I_k := Ordinal jk.
have jE (p : 'I_k) : insubd p (k - M + i)%N = j by apply: val_inj; rewrite val_insubd jk.
rewrite [LHS]/=; pose d : rat := (k - M + i).+1%:R.
have inner (p : 'I_k) : (p <= j)%N -> \sum_(S' | add_one (insubd p (k - M + i)%N) p S' == S)
    floyd i S' / d = if possible i.+1 S && (p \in S) then 'C(k - M + i, i)%:R^-1 / d else 0.
  move=> pj; rewrite jE.
  rewrite (eq_bigr (fun S' => if possible i S' then 'C(k - M + i, i)%:R^-1 / d else 0)) => [|S' _]; last first.
    by rewrite IH ?(ltnW iM) //; case: ifP => _; rewrite ?mul0r.
  rewrite -big_mkcondr (eq_bigl (fun S' => [&& possible i.+1 S, p \in S
      & S' == (if j \in S then S :\ j else S :\ p)])) => [|S']; last first.
    by rewrite andbC step_back.
  case: (possible i.+1 S) => /=; last by rewrite big_pred0.
  case: (p \in S) => /=; last by rewrite big_pred0.
  by rewrite big_pred1_eq.
rewrite (eq_bigr _ inner); case ok: (possible i.+1 S); last by rewrite big1.
rewrite -big_mkcondr /= (eq_bigl (fun p => p \in S)) => [|p]; last first.
  rewrite andbC; case pS: (p \in S) => //=.
  by case/andP: ok => _ /forall_inP/(_ p pS); rewrite addnS ltnS.
case/andP: ok => /eqP c _; rewrite sumr_const c -[_ *+ _]mulr_natl /d.
rewrite -invfM -natrM mulnC addnS.
have := mul_bin_diag (k - M + i).+1 i; rewrite /= => E; rewrite E natrM invfM mulrA divff ?mul1r //.
by rewrite pnatr_eq0.
Qed.

(* The algorithm draws every set of M positions with the same probability. *)
Theorem floyd_uniform S : floyd M S = if #|S| == M then 'C(k, M)%:R^-1 else 0.
Proof.
rewrite floydE // subnK //; congr (if _ then _ else _); rewrite /possible subnK //.
by rewrite andb_idr // => _; apply/forall_inP => x _.
Qed.
End Floyd.
