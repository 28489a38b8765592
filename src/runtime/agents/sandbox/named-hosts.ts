/**
 * The way out of a sandbox without a network: a proxy of HTTP that connects to named hosts and to nothing else. Programs
 * that do not use a proxy reach nothing.
 */
import { createServer, type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Environment } from '../../process/shell.js';

/** The ports of a host that is named without one. */
const USUAL_PORTS: ReadonlySet<number> = new Set([80, 443]);

/** Whether one of `hosts` means this host: `api.example.com`, `*.example.com`, `localhost:8080`, `[::1]:8080`. */
export function isNamed(host: string, port: number, hosts: readonly string[]): boolean {
  const wanted = host.toLowerCase().replace(/\.$/, '');
  return hosts.some((one) => {
    const { name, port: only } = hostOf(one.toLowerCase());
    if (only === null ? !USUAL_PORTS.has(port) : only !== port) return false;
    return name.startsWith('*.') ? wanted.endsWith(name.slice(1)) && wanted.length > name.length - 1 : wanted === name;
  });
}

/** A host with an optional port, the host without brackets. */
function hostOf(text: string): { readonly name: string; readonly port: number | null } {
  const [, bracketed, plain = text, port] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d+))?$/.exec(text) ?? [];
  return { name: bracketed ?? plain, port: port === undefined ? null : Number(port) };
}

export interface HostDoor {
  /** The path of its socket, or the port on which it listens. */
  readonly at: string | number;
  close(): void;
}

interface HostDoorOptions {
  readonly hosts: readonly string[];
  /** A path for its socket; null: a port of the loopback address. */
  readonly socket: string | null;
  /** What clients have to prove with; null: only those that see the socket reach it. */
  readonly token: string | null;
  /** Names the proxies that the machine itself needs. */
  readonly inherited: Environment;
  /** Called with each host that was refused. */
  readonly onRefused: (host: string) => void;
}

/** Rejects if it cannot listen. */
export async function openHostDoor({ hosts, socket, token, inherited, onRefused }: HostDoorOptions): Promise<HostDoor> {
  const open = new Set<Duplex>();
  const isKnown = ({ headers }: IncomingMessage): boolean =>
    token === null || headers['proxy-authorization'] === `Basic ${Buffer.from(`agent:${token}`).toString('base64')}`;
  const mayReach = (name: string, port: number): boolean => {
    const may = isNamed(name, port, hosts);
    if (!may) onRefused(`${name}:${port}`);
    return may;
  };
  const server = createServer((incoming, answer) => void forward(incoming, answer));
  server.on('connection', (one) => {
    open.add(one);
    one.on('close', () => open.delete(one));
    one.on('error', () => one.destroy());
  });
  server.on('connect', (incoming, client: Duplex, head: Buffer) => {
    client.on('error', () => client.destroy());
    const { name, port } = hostOf(incoming.url ?? '');
    if (!isKnown(incoming)) return void client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    if (!mayReach(name, port ?? 443)) return void client.end(`HTTP/1.1 403 Forbidden\r\n\r\n${denial(name)}`);
    reach(name, port ?? 443, inherited).then(
      (outer) => {
        outer.on('error', () => client.destroy());
        outer.on('close', () => client.destroy());
        client.on('close', () => outer.destroy());
        client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        outer.write(head);
        outer.pipe(client).pipe(outer);
      },
      (cause: Error) => client.end(`HTTP/1.1 502 Bad Gateway\r\n\r\n${cause.message}\n`),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    if (socket === null) server.listen(0, '127.0.0.1', resolve);
    else server.listen(socket, resolve);
  });
  const address = server.address();
  return {
    at: address !== null && typeof address === 'object' ? address.port : (socket ?? ''),
    close() {
      server.close();
      for (const one of open) one.destroy();
    },
  };

  /** A request without encryption names its whole address. */
  async function forward(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const say = (status: number, text: string): void => void answer.writeHead(status).end(text);
    if (!isKnown(incoming)) return say(407, 'the token of the proxy is missing\n');
    const url = URL.parse(incoming.url ?? '');
    if (url?.protocol !== 'http:') return say(400, 'this is a proxy: name the whole address\n');
    const [name, port] = [url.hostname.replace(/^\[|\]$/g, ''), Number(url.port || 80)];
    if (!mayReach(name, port)) return say(403, denial(name));
    try {
      const outer = await reach(name, port, inherited);
      const { 'proxy-authorization': _own, 'proxy-connection': _hop, connection: _kept, ...headers } = incoming.headers;
      const { pathname, search } = url;
      const sent = openRequest(
        { createConnection: () => outer, method: incoming.method, path: `${pathname}${search}`, headers },
        (received) => {
          answer.writeHead(received.statusCode ?? 502, received.headers);
          received.pipe(answer);
          received.on('error', () => answer.destroy());
        },
      );
      sent.on('error', ({ message }) => (answer.headersSent ? answer.destroy() : say(502, `${message}\n`)));
      answer.on('close', () => sent.destroy());
      incoming.pipe(sent);
    } catch (cause) {
      say(502, `${(cause as Error).message}\n`);
    }
  }
}

const denial = (name: string): string => `the sandbox does not name the host ${name}: add it to \`hosts\`\n`;

/** A connection to the host, through the proxy of the machine if it needs one. */
function reach(name: string, port: number, inherited: Environment): Promise<Socket> {
  const proxy = proxyFor(name, port, inherited);
  return proxy === null ? openConnection(name, port) : throughProxy(proxy, name, port);
}

function openConnection(name: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, name, () => {
      socket.off('error', reject);
      // Its users listen as well; without a listener an error would end the process.
      socket.on('error', () => socket.destroy());
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

function proxyFor(name: string, port: number, { ...variables }: Environment): URL | null {
  const kinds = port === 80 ? ['http_proxy', 'HTTP_PROXY'] : ['https_proxy', 'HTTPS_PROXY'];
  const written = [...kinds, 'all_proxy', 'ALL_PROXY'].map((one) => variables[one]).find((one) => one);
  const without = (variables.no_proxy || variables.NO_PROXY || '').split(/[\s,]+/).filter((one) => one !== '');
  const isDirect = without.some((one) => one === '*' || name === one || name.endsWith(one.replace(/^\*?\.?/, '.')));
  return written === undefined || isDirect ? null : URL.parse(written);
}

async function throughProxy(proxy: URL, name: string, port: number): Promise<Socket> {
  const socket = await openConnection(proxy.hostname.replace(/^\[|\]$/g, ''), Number(proxy.port || 80));
  const { username, password } = proxy;
  const proof = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  const to = `${name.includes(':') ? `[${name}]` : name}:${port}`;
  const login = username === '' ? '' : `Proxy-Authorization: Basic ${proof}\r\n`;
  socket.write(`CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n${login}\r\n`);
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0);
    const fail = (why: string): void => {
      socket.destroy();
      reject(new Error(`the proxy ${proxy.host} ${why}`));
    };
    const onClose = (): void => fail('closed the connection');
    const onData = (bytes: Buffer): void => {
      head = Buffer.concat([head, bytes]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return head.length > LONGEST_HEAD ? fail('answered without an end') : undefined;
      socket.off('data', onData);
      socket.off('close', onClose);
      const [line = ''] = head.toString('latin1').split('\r\n');
      if (!/^HTTP\/1\.\d 200\b/.test(line)) return fail(`answered \`${line}\``);
      socket.pause();
      if (head.length > end + 4) socket.unshift(head.subarray(end + 4));
      resolve(socket);
    };
    socket.on('data', onData);
    socket.once('close', onClose);
  });
}
const LONGEST_HEAD = 16 * 1024;
