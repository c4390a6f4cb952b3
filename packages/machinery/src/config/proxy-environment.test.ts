import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseProxy } from './proxy-choice.ts';
import { bypassesProxy, proxyFromEnvironment } from './proxy-environment.ts';

// One row per rule of Go's httpproxy: [NO_PROXY, host, port, reached directly].
const rules: readonly (readonly [string, string, string, boolean])[] = [
  ['', 'example.org', '443', false],
  ['*', 'example.org', '443', true],
  ['foo, *', '10.0.0.1', '443', true],
  ['example.org', 'example.org', '443', true],
  ['example.org', 'api.example.org', '443', true],
  ['example.org', 'badexample.org', '443', false],
  ['EXAMPLE.org', 'Api.Example.ORG', '443', true],
  ['.example.org', 'api.example.org', '443', true],
  ['.example.org', 'example.org', '443', false],
  ['*.example.org', 'api.example.org', '443', true],
  ['*.example.org', 'example.org', '443', false],
  ['example.org:8443', 'example.org', '8443', true],
  ['example.org:8443', 'example.org', '443', false],
  ['.example.org:8443', 'a.example.org', '8443', true],
  ['a , b ,  example.org ', 'example.org', '443', true],
  [',,', 'example.org', '443', false],
  [':443', 'example.org', '443', false],
  ['10.0.0.0/8', '10.20.30.40', '6443', true],
  ['10.0.0.0/8', '11.0.0.1', '6443', false],
  ['10.0.0.0/33', '10.0.0.1', '6443', false],
  ['10.0.0.7/8', '10.9.9.9', '6443', true],
  ['10.0.0.0/8', 'ten.example.org', '6443', false],
  ['10.0.0.1', '10.0.0.1', '6443', true],
  ['10.0.0.1', '10.0.0.10', '6443', false],
  ['10.0.0.1:6443', '10.0.0.1', '6443', true],
  ['10.0.0.1:443', '10.0.0.1', '6443', false],
  ['fd00::/8', 'fd12::1', '6443', true],
  ['fd00::/8', 'fe80::1', '6443', false],
  ['fd00::1', 'fd00:0:0::1', '6443', true],
  ['[fd00::1]:6443', 'fd00::1', '6443', true],
  ['[fd00::1]:443', 'fd00::1', '6443', false],
  ['[fd00::1]', 'fd00::1', '6443', false],
  ['1', '1.1.1.1', '443', false],
  ['bücher.example', 'xn--bcher-kva.example', '443', true],
  ['', 'localhost', '6443', true],
  ['', '127.0.0.1', '6443', true],
  ['', '127.9.8.7', '6443', true],
  ['', '::1', '6443', true],
  ['', '::ffff:127.0.0.1', '6443', true],
  ['', 'localhost.example.org', '6443', false],
  ['', '128.0.0.1', '6443', false],
];

for (const [noProxy, host, port, direct] of rules) {
  test(`with NO_PROXY="${noProxy}" ${host} port ${port} is reached ${direct ? 'directly' : 'through the proxy'}`, () => {
    assert.equal(bypassesProxy(noProxy, host, port), direct);
  });
}

test('HTTPS_PROXY serves https, HTTP_PROXY http, and the upper-case names win', () => {
  const env = {
    HTTPS_PROXY: 'http://s:1',
    https_proxy: 'http://small:1',
    http_proxy: 'http://h:1',
    ALL_PROXY: 'http://x',
  };
  assert.deepEqual(proxyFromEnvironment(env, new URL('https://a')), { variable: 'HTTPS_PROXY', url: 'http://s:1' });
  assert.deepEqual(proxyFromEnvironment(env, new URL('http://a')), { variable: 'http_proxy', url: 'http://h:1' });
  assert.equal(proxyFromEnvironment({ HTTP_PROXY: 'http://h:1' }, new URL('https://a')), undefined);
  assert.equal(proxyFromEnvironment({ HTTPS_PROXY: '' }, new URL('https://a')), undefined);
});

test('a proxy without a scheme is an http proxy', () => {
  assert.equal(proxyFromEnvironment({ https_proxy: 'proxy:3128' }, new URL('https://a'))?.url, 'http://proxy:3128');
});

test('the default port of the scheme is compared with a port in NO_PROXY', () => {
  const env = { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'a:443' };
  assert.equal(proxyFromEnvironment(env, new URL('https://a')), undefined);
  assert.equal(proxyFromEnvironment(env, new URL('https://a:6443'))?.url, 'http://p:1');
  const v6 = { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'fd00::/8' };
  assert.equal(proxyFromEnvironment(v6, new URL('https://[fd00::5]:6443')), undefined);
});

test('a proxy-url is used whatever the environment says', () => {
  const env = { HTTPS_PROXY: 'http://env:1', NO_PROXY: '*' };
  assert.equal(chooseProxy('https://a', 'http://mine:8080', 'cluster', env), 'http://mine:8080');
  assert.equal(chooseProxy('https://127.0.0.1', 'https://mine:8080', 'cluster', env), 'https://mine:8080');
  assert.equal(chooseProxy('https://a', undefined, 'cluster', env), undefined);
});

test('a SOCKS proxy gets a clear sentence, from a kubeconfig and from the environment', () => {
  assert.throws(() => chooseProxy('https://a', 'socks5://s:1080', 'cluster "c" in /k', {}), {
    code: 'config-proxy',
    message: 'the proxy-url of cluster "c" in /k is a SOCKS proxy (socks5), which is not supported',
  });
  assert.throws(
    () => chooseProxy('https://a', undefined, 'c', { HTTPS_PROXY: 'socks5h://u:pw@s:1080' }),
    (e: Error) => {
      assert.match(e.message, /^the environment variable HTTPS_PROXY is a SOCKS proxy/);
      return !e.message.includes('pw');
    },
  );
  // … but not where the proxy would not be used.
  assert.equal(chooseProxy('https://127.0.0.1', undefined, 'c', { HTTPS_PROXY: 'socks5://s:1080' }), undefined);
});

test('a proxy that is no http URL is an error that does not quote it', () => {
  for (const bad of ['ftp://u:pw@x', 'http://', 'pw nonsense']) {
    assert.throws(
      () => chooseProxy('https://a', bad, 'cluster "c"', {}),
      (e: Error) => {
        assert.equal(e.message, 'the proxy-url of cluster "c" is not an http or https URL');
        return true;
      },
    );
  }
});
