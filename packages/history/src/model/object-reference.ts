// An object of the API by its name, and by its UID where that is known.

export interface ObjectReference {
  readonly kind: string;
  /** Empty for what is in no namespace. */
  readonly namespace: string;
  readonly name: string;
  /** Empty where nobody says it: some controllers leave it out. */
  readonly uid: string;
}
