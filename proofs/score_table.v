(* The score table, by exact computation in binary numbers.

   Sign j has weight ws_j. A symbol a of sign j loses (loss a) * ws_j against
   the largest score. [upto] returns the total weight of all vectors that lose
   at most M. It adds one sign at a time to a row of numbers, which are the
   coefficients of the generating function. Nothing is rounded. *)
From Coq Require Import NArith.
From mathcomp Require Import all_ssreflect all_algebra.
From futurerand Require Import binary symbol.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory.
Local Open Scope ring_scope.

(* ---- rows -------------------------------------------------------------- *)
Fixpoint add_rows (r r' : seq N) : seq N :=
  match r, r' with
  | [::], _ => r' | _, [::] => r
  | a :: s, b :: s' => N.add a b :: add_rows s s'
  end.
Definition scale (n : N) (r : seq N) : seq N :=
  if N.eqb n 1 then r else [seq N.mul n a | a <- r].
Definition shift (k : nat) (r : seq N) : seq N := ncons k 0%num r.

(* A row stands for a polynomial. *)
Definition toZ (n : N) : int := (nat_of_bin n)%:Z.
Definition poly_of (r : seq N) : {poly int} := Poly (map toZ r).

Lemma toZD a b : toZ (N.add a b) = toZ a + toZ b.
Proof. by rewrite /toZ addE PoszD. Qed.

Lemma toZM a b : toZ (N.mul a b) = toZ a * toZ b.
Proof. by rewrite /toZ mulE PoszM. Qed.

Lemma poly_cons a r : poly_of (a :: r) = poly_of r * 'X + (toZ a)%:P.
Proof. by rewrite /poly_of /= cons_poly_def. Qed.

Lemma poly_add r r' : poly_of (add_rows r r') = poly_of r + poly_of r'.
Proof.
elim: r r' => [|a r IH] [|b r'] /=; rewrite ?add0r ?addr0 //.
by rewrite !poly_cons IH toZD rmorphD /= mulrDl addrACA.
Qed.

Lemma poly_scale n r : poly_of (scale n r) = (toZ n)%:P * poly_of r.
Proof.
rewrite /scale eqbE; case: eqP => [E|_]; first by rewrite /toZ E mul1r.
elim: r => [|a r IH]; first by rewrite mulr0.
by rewrite /= !poly_cons IH toZM mulrDr mulrA polyCM.
Qed.

Lemma poly_shift k r : poly_of (shift k r) = poly_of r * 'X^k.
Proof.
elim: k => [|k IH] /=; first by rewrite mulr1.
by rewrite poly_cons -/(shift k r) IH addr0 exprSr mulrA.
Qed.

Lemma coef_poly_of r i : (poly_of r)`_i = toZ (nth 0%num r i).
Proof.
rewrite coef_Poly; case: (ltnP i (size r)) => ir.
  by rewrite (nth_map 0%num).
by rewrite !nth_default ?size_map.
Qed.

(* ---- the table --------------------------------------------------------- *)
Section Table.
Variables (wp wz wm : N).              (* weights of plus, zero and minus *)
Variables (lz lm : nat).               (* what zero and minus lose *)
Definition symbol_weight (a : symbol) : nat :=
  nat_of_bin (match a with plus => wp | minus => wm | None => wz end).
Definition loss (a : symbol) : nat :=
  match a with plus => 0 | minus => lm | None => lz end.

Definition add_sign (w : nat) (r : seq N) : seq N :=
  let rest := shift (lm * w) (scale wm r) in
  add_rows (scale wp r)
    (if N.eqb wz 0 then rest else add_rows (shift (lz * w) (scale wz r)) rest).
Definition table (ws : seq nat) : seq N := foldr add_sign [:: 1%num] ws.

Definition factor (w : nat) : {poly int} :=
  \sum_a (symbol_weight a)%:Z%:P * 'X^(loss a * w).

Lemma poly_add_sign w r : poly_of (add_sign w r) = poly_of r * factor w.
Proof.
have -> : poly_of (add_sign w r) = (toZ wp)%:P * poly_of r
    + ((toZ wz)%:P * poly_of r * 'X^(lz * w) + (toZ wm)%:P * poly_of r * 'X^(lm * w)).
  rewrite /add_sign poly_add poly_scale eqbE; congr (_ + _).
  case: eqP => [E|_]; last by rewrite poly_add !poly_shift !poly_scale.
  by rewrite poly_shift poly_scale /toZ E !mul0r add0r.
rewrite /factor big_symbol /= mul0n expr0 mulr1 !mulrDr mulrC.
by rewrite ![poly_of r * (_ * _)]mulrCA !mulrA.
Qed.

Lemma poly_table ws : poly_of (table ws) = \prod_(w <- ws) factor w.
Proof.
elim: ws => [|w ws IH].
  by rewrite big_nil /poly_of /= cons_poly_def mul0r add0r.
by rewrite big_cons /= poly_add_sign IH mulrC.
Qed.
End Table.
