// A text of the server as a sentence of the page. Pure.

/** A command stays as it is typed. */
export function sentence(text: string): string {
  const first = /^(?:kubectl|podtrail) /.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(first) ? first : `${first}.`;
}
