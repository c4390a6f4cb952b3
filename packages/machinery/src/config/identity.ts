// Who we are to the API server, and whom we trust. Made by the config loaders, consumed by transport/. The transport
// asks before every request, so an expired token or a rotated certificate needs no restart.

/** Everything that a TLS connection depends on. Invariant: the same reference while nothing in it has changed. */
export interface TlsMaterial {
  /** PEM; undefined means the system's roots. */
  readonly ca: string | undefined;
  /** PEM client certificate chain. */
  readonly cert: string | undefined;
  /** PEM client key. */
  readonly key: string | undefined;
  /** Name to verify instead of the host in the URL (tls-server-name). */
  readonly serverName: string | undefined;
  readonly insecureSkipVerify: boolean;
}

export interface Identity {
  /** The whole Authorization header value ("Bearer …", "Basic …"). */
  readonly authorization: string | undefined;
  readonly tls: TlsMaterial;
}

export interface IdentitySource {
  /** Cheap when nothing changed; concurrent callers share one refresh. */
  current(): Promise<Identity>;
  /** The server answered 401 to `rejected`: the next `current()` re-reads or re-runs, unless it already did since. */
  refuse(rejected: Identity): void;
}

export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What is needed to talk to one cluster. */
export interface ClusterConfig {
  /** Base URL without a trailing slash; may have a path prefix (Rancher, proxies). */
  readonly server: string;
  /** The context's namespace, else "default" (in a cluster: the pod's own). */
  readonly namespace: string;
  /** Where this came from, for messages: a context name with its file, or "in-cluster". */
  readonly origin: string;
  readonly proxyUrl: string | undefined;
  readonly impersonate: Impersonation | undefined;
  readonly disableCompression: boolean;
  readonly identity: IdentitySource;
}
