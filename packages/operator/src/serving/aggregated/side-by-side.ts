// Reads about many things in their order, some of them under way at once: one by one, each would wait for the way to the
// store and back. Called by lists of pods; reads little more than the caller takes.

/** What is read beyond what the caller takes is for nothing: whoever takes few gives less. */
export const AT_ONCE = 32;

export async function* sideBySide<Item, Found>(
  items: Iterable<Item>,
  read: (item: Item) => Promise<Found>,
  atOnce: number = AT_ONCE,
): AsyncGenerator<Found> {
  const underWay: Promise<Found>[] = [];
  const rest = items[Symbol.iterator]();
  const begin = () => {
    const { value, done } = rest.next();
    if (done === true) return;
    const reading = read(value);
    // Whoever awaits it finds out; until then, or when nobody does any more, it is no unhandled rejection.
    reading.catch(() => {});
    underWay.push(reading);
  };
  for (let i = 0; i < atOnce; i++) begin();
  while (true) {
    const next = underWay.shift();
    if (next === undefined) return;
    yield await next;
    begin();
  }
}
