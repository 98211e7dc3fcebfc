/**
 * The service that the tests play at: any, such as one of `kartejo serve --web`.
 *
 * KARTEJO_WEB: its address, http://host:port.  KARTEJO_TOKENS: tokens of three players, with commas
 * between them.
 */
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { Client, type Patience } from "../src/index.js";

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`these tests play at a running service: say ${name}`);
  return value;
}

export const URL_OF_SERVICE = setting("KARTEJO_WEB");
const TOKENS = setting("KARTEJO_TOKENS").split(",");

/** A player, at the service itself unless said. */
export function player(number = 0, url = URL_OF_SERVICE, patience?: Patience): Client {
  return new Client({ url, token: TOKENS[number]!, ...(patience && { patience }) });
}

/** A way to the service that a test interrupts. */
export class Line {
  /** Whether answers are lost. */
  isDumb = false;
  private readonly ends = new Set<Socket>();
  private constructor(private readonly door: Server) {}

  static async open(): Promise<Line> {
    const there = new URL(URL_OF_SERVICE);
    const door = createServer((near) => {
      const far = connect(Number(there.port), there.hostname);
      const end = (): void => void [near, far].map((each) => each.destroy());
      for (const each of [near, far]) {
        line.ends.add(each);
        each.on("error", end).on("close", end);
      }
      near.on("data", (data) => far.write(data));
      far.on("data", (data) => line.isDumb || near.write(data));
    });
    const line = new Line(door);
    await new Promise<void>((ready) => door.listen(0, "127.0.0.1", ready));
    return line;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.door.address() as AddressInfo).port}`;
  }

  /** End all connections; new ones may be made at once. */
  cut(): void {
    for (const end of this.ends) end.destroy();
    this.ends.clear();
  }

  async close(): Promise<void> {
    const closed = new Promise((done) => this.door.close(done));
    this.cut();
    await closed;
  }
}
