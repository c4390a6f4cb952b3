// A number with its noun: `1 gap`, `2 gaps`. Pure.

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
