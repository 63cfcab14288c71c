(* All outputs of a small plan of innovation, computed by the model: one list for
   each input, one number for each output. futurerand/audit/model_test.cpp gets the
   same numbers from the C++ device. *)
From Coq Require Import ZArith List.
From futurerand Require Import device.
Import ListNotations.
Local Open Scope Z_scope.

Definition outputs : list (list Z) :=
  map (output_weights [1; 1; 2]%nat [380000000000; 210000000000; 140000000000] (2 ^ 31)
         [5; 3; 2] 4 10195318397504231908 (2 ^ 64))
      (vectors 4).
Eval vm_compute in outputs.
