(* All outputs of two small plans of innovation, computed by the model: one list for
   each input, one number for each output. In the first plan everybody starts at 0, in
   the second the start is unknown. futurerand/audit/model_test.cpp gets the same
   numbers from the C++ device. *)
From Coq Require Import ZArith List.
From futurerand Require Import device.
Import ListNotations.
Local Open Scope Z_scope.

Definition outputs : list (list Z) :=
  map (output_weights [1; 1; 2]%nat [380000000000; 210000000000; 140000000000] 0 (2 ^ 31)
         [5; 3; 2] 4 10195318397504231908 (2 ^ 64))
      (vectors 4) ++
  map (output_weights [1; 1; 2]%nat [380000000000; 290000000000; 140000000000] 1 (2 ^ 31)
         [5; 4; 2] 4 10195318397504231908 (2 ^ 64))
      (vectors 4).
Eval vm_compute in outputs.
