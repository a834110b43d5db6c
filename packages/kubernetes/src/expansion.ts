/**
 * A text as Kubernetes must be given it to pass it on unchanged: there `$(NAME)` is replaced in
 * arguments and values, and `$$` becomes `$`. Only a `$` before another `$` or a `(` is doubled.
 */
export function escapeExpansion(text: string): string {
  return text.replace(/\$(?=[$(])/g, "$$$$");
}
