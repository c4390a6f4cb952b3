// Services: their addresses are used again at once; some get theirs later, or a second one.
import type { Written } from './made-shapes.ts';
import type { WorldBook } from './world-book.ts';

export class MadeServices {
  readonly #book: WorldBook;
  readonly #clusterIps: readonly string[];

  constructor(book: WorldBook, clusterIps: readonly string[]) {
    this.#book = book;
    this.#clusterIps = clusterIps;
  }

  createService(): void {
    const c = this.#book.chance;
    const free = this.#clusterIps.filter((ip) => !this.#book.isHeld(ip));
    const [first, second] = [c.one(free), c.one(free)];
    if (first === undefined) return;
    const name = `svc-${c.int(1, 3)}`;
    if (this.#book.objects.has(`Service/shop/${name}`)) return;
    const uid = this.#book.uid('svc');
    const created = this.#book.apiTime;
    const begins = c.one(['plain', 'headless', 'external'] as const);
    let ips: string[] = begins === 'plain' ? [first] : [];
    const write = (type: Written['type'], texts: readonly string[]): void =>
      this.#book.write(type, 'Service', `shop/${name}`, (version) => ({
        metadata: this.#book.meta(name, 'shop', uid, version, created),
        spec: { clusterIPs: texts },
        status: {},
      }));
    write('ADDED', begins === 'headless' ? ['None'] : ips);
    for (const ip of ips) this.#book.hold(ip, uid, 'Service');
    this.#book.tell(`${name} (${uid}) ${begins} ${ips}`);
    const grow = (ip: string): void => {
      if (
        this.#book.objects.get(`Service/shop/${name}`)?.metadata.uid !== uid ||
        this.#book.isHeld(ip) ||
        ips.length > 1
      )
        return;
      ips = [...ips, ip];
      write('MODIFIED', ips);
      this.#book.hold(ip, uid, 'Service');
      this.#book.tell(`${name} gets ${ip}`);
    };
    if (begins === 'external') this.#book.later(c.int(500, 20_000), () => grow(first));
    if (begins !== 'headless' && second !== undefined && c.is(0.4))
      this.#book.later(c.int(500, 30_000), () => grow(second));
    this.#book.later(c.int(200, 60_000), () => {
      write('DELETED', begins === 'headless' ? ['None'] : ips);
      for (const ip of ips) this.#book.release(ip, uid);
      this.#book.tell(`${name} (${uid}) is deleted`);
    });
  }
}
