(* Levels: "the next symbol of a level" never reads a symbol twice.

   The stored symbols are divided into levels. In each period the device picks
   a level and a relabelling, or nothing. It then reads the next unused symbol
   of that level. If the level is empty, it sends a fresh symbol. So no code of
   a device enters the privacy theorem: every pick is private. *)
From mathcomp Require Import all_ssreflect all_fingroup all_algebra.
From futurerand Require Import framework invariant product.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

Lemma uniq_pmap (T J : eqType) (f : T -> option J) (s : seq T) :
  {in s &, forall t u, f t = f u -> f t -> t = u} -> uniq s -> uniq (pmap f s).
Proof.
elim: s => //= t s IH inj /andP[ts us].
have IH' : uniq (pmap f s).
  by apply: IH => // a b sa sb; apply: inj; rewrite inE ?sa ?sb orbT.
case E: (f t) => [j|] //=; rewrite IH' andbT mem_pmap.
apply/mapP => -[u su Eu]; move: ts; rewrite (inj t u) ?E ?su ?mem_head //.
by rewrite inE su orbT.
Qed.

Section Levels.
Variables (J A : finType) (Level : eqType) (Input : Type) (Coin : finType).
Variable slot : Level -> nat -> option J.   (* the i-th symbol of a level, if any *)
Hypothesis slot_inj : forall l i l' i',
  slot l i = slot l' i' -> slot l i -> l = l' /\ i = i'.
Variable pick : seq Input -> Coin -> seq A -> option (Level * {perm A}).

(* How often the level was picked before, along the history h. *)
Definition level xs c h := omap fst (pick xs c h).
Definition used xs c h l :=
  count (fun i => level (take i.+1 xs) c (take i h) == Some l) (iota 0 (size h)).
Definition next xs c h : choice J A :=
  if pick xs c h is Some (l, s) then
    if slot l (used xs c h l) is Some j then Some (j, s) else None
  else None.

Lemma so_far_take (x : seq A -> Input) h i : i <= size h ->
  take i.+1 (so_far x h) = so_far x (take i h).
Proof.
move=> ih; rewrite /so_far -map_take take_iota minnC (minn_idPr _) ?ltnS //.
rewrite size_takel //; apply/eq_in_map => k.
by rewrite mem_iota add0n ltnS /= => ki; rewrite take_take.
Qed.

Lemma used_grows x c w t u l : t < u -> u <= size w ->
  level (so_far x (take t w)) c (take t w) = Some l ->
  used (so_far x (take t w)) c (take t w) l
    < used (so_far x (take u w)) c (take u w) l.
Proof.
move=> tu uw El; have tw : t <= size w by exact: leq_trans (ltnW tu) uw.
have U v : v <= size w -> used (so_far x (take v w)) c (take v w) l =
    count (fun i => level (so_far x (take i w)) c (take i w) == Some l) (iota 0 v).
  move=> vw; rewrite /used size_takel //; apply: eq_in_count => i.
  rewrite mem_iota add0n => /andP[_ iv]; rewrite so_far_take ?size_takel // 1?ltnW //.
  by rewrite take_take // ltnW.
rewrite !U // -(subnKC tu) addSnnS iotaD count_cat add0n /= El eqxx.
by rewrite -addn1 leq_add2l.
Qed.

Lemma levels_once x c w : uniq (taken next x c w).
Proof.
apply: uniq_pmap (iota_uniq _ _) => t u; rewrite !mem_iota !add0n /= => tw uw.
wlog tu : t u tw uw / t < u.
  move=> H E S; case: (ltngtP t u) => // tu; first exact: H.
  by apply/esym/H; rewrite -?E.
rewrite /next.
case Et: (pick _ _ (take t w)) => [[l s]|] //;
  case Eu: (pick _ _ (take u w)) => [[l' s']|] //=; last by case: (slot _ _).
case St: (slot l _) => [j|] //; case Su: (slot l' _) => [j'|] //= [jj] _.
have [] := slot_inj (etrans St (etrans (congr1 some jj) (esym Su))).
  by rewrite St.
move=> ll; subst l' => K.
have := @used_grows x c w t u l tu (ltnW uw).
by rewrite /level Et K ltnn => /(_ erefl).
Qed.

Lemma next_signs (Signs : pred {perm A}) :
  (forall xs c h l s, pick xs c h = Some (l, s) -> s \in Signs) ->
  forall xs c h j s, next xs c h = Some (j, s) -> s \in Signs.
Proof.
move=> ok xs c h j s; rewrite /next; case E: (pick _ _ _) => [[l s']|] //.
by case: (slot _ _) => // j' [_ <-]; exact: ok E.
Qed.
End Levels.

(* Runs of signs: level l is the l-th run, and its symbols follow one another. *)
Section Runs.
Variables (counts : seq nat) (d : nat).
Definition run_slot (l i : nat) : option 'I_d :=
  if i < nth 0 counts l then insub (sumn (take l counts) + i) else None.

Lemma sum_take_nth l : sumn (take l.+1 counts) = sumn (take l counts) + nth 0 counts l.
Proof.
case: (ltnP l (size counts)) => h; first by rewrite (take_nth 0) // sumn_rcons.
by rewrite !take_oversize ?nth_default ?addn0 // leqW.
Qed.

Lemma sum_take_le l l' : l <= l' -> sumn (take l counts) <= sumn (take l' counts).
Proof.
move=> ll; rewrite -(subnKC ll); elim: (l' - l) => [|n IH]; first by rewrite addn0.
by rewrite addnS sum_take_nth (leq_trans IH) ?leq_addr.
Qed.

Lemma run_slot_inj l i l' i' :
  run_slot l i = run_slot l' i' -> run_slot l i -> l = l' /\ i = i'.
Proof.
rewrite /run_slot; case: ifP => // il; case: ifP => [il'|_]; last by case: insubP.
case: insubP => // j _ Ej; case: insubP => // j' _ Ej' [jj] _.
have {Ej Ej' jj j'} E : sumn (take l counts) + i = sumn (take l' counts) + i'.
  by rewrite -Ej -Ej' jj.
have far a b k k' : k < nth 0 counts a -> a < b ->
    sumn (take a counts) + k <> sumn (take b counts) + k'.
  move=> ka ab /eqP; rewrite ltn_eqF // (leq_trans _ (leq_addr _ _)) //.
  by rewrite (leq_trans _ (sum_take_le ab)) // sum_take_nth ltn_add2l.
have ll : l = l'.
  by case: (ltngtP l l') => // h; [case: (far _ _ _ _ il h E) | case: (far _ _ _ _ il' h (esym E))].
by split=> //; apply/(@addnI (sumn (take l counts))); rewrite E ll.
Qed.
End Runs.
