import fc from "fast-check";

/** In the mutation run each mutant meets the same cases. */
fc.configureGlobal({ seed: 20_260_906 });
