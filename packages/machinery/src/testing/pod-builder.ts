// Pods for tests, as JSON: aPod('web-1').onNode('n1').withIp('10.0.0.7').atVersion(5).

export class PodBuilder {
  readonly #metadata: Record<string, unknown>;
  readonly #spec: Record<string, unknown> = {};
  readonly #status: Record<string, unknown> = { phase: 'Running' };

  constructor(name: string) {
    this.#metadata = { name, namespace: 'default', uid: `uid-${name}`, resourceVersion: '1' };
  }

  inNamespace(namespace: string): this {
    this.#metadata['namespace'] = namespace;
    return this;
  }

  withUid(uid: string): this {
    this.#metadata['uid'] = uid;
    return this;
  }

  atVersion(version: number | string): this {
    this.#metadata['resourceVersion'] = String(version);
    return this;
  }

  onNode(nodeName: string): this {
    this.#spec['nodeName'] = nodeName;
    return this;
  }

  withIp(...ips: string[]): this {
    this.#status['podIP'] = ips[0];
    this.#status['podIPs'] = ips.map((ip) => ({ ip }));
    return this;
  }

  inPhase(phase: string): this {
    this.#status['phase'] = phase;
    return this;
  }

  withAnnotations(annotations: Record<string, string>): this {
    this.#metadata['annotations'] = annotations;
    return this;
  }

  withLabels(labels: Record<string, string>): this {
    this.#metadata['labels'] = labels;
    return this;
  }

  build(): Record<string, unknown> {
    return {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { ...this.#metadata },
      spec: { ...this.#spec },
      status: { ...this.#status },
    };
  }
}

export function aPod(name: string): PodBuilder {
  return new PodBuilder(name);
}
