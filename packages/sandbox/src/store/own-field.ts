// Fields by names that others chose: `__proto__` is one like any other in JSON, and to an assignment it is not.

export function ownField(object: Readonly<Record<string, unknown>> | undefined, name: string): unknown {
  return object !== undefined && Object.hasOwn(object, name) ? object[name] : undefined;
}

export function setOwnField(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}
