// Makes a server listen. `::` means every address of the machine, of both families; where the kernel has no IPv6 that
// is every IPv4 address. Called by each of the operator's servers.
import type { AddressInfo, Server } from 'node:net';

/** Every address of both families. */
const ANY = '::';
const ANY_IPV4 = '0.0.0.0';
/** The kernel was built or started without IPv6, or has no such address. */
const NO_IPV6 = new Set(['EAFNOSUPPORT', 'EADDRNOTAVAIL', 'EINVAL']);

type Listening = Pick<Server, 'listen' | 'once' | 'off' | 'address'>;

/** The address that it listens on; rejects with the error of the system. */
export async function listen(server: Listening, host: string, port: number): Promise<AddressInfo> {
  try {
    await listenOnce(server, host, port);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (host !== ANY || !NO_IPV6.has(code)) throw error;
    await listenOnce(server, ANY_IPV4, port);
  }
  return server.address() as AddressInfo;
}

function listenOnce(server: Listening, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: Error) => reject(error);
    server.once('error', onError);
    server.listen(port, host, () => {
      server.off('error', onError);
      resolve();
    });
  });
}
