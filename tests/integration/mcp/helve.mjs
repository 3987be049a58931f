// The program under test: starting it on HTTP, how clients start it on stdio, and what can be
// seen of it from outside.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export const program = process.env.HELVE_PROGRAM ?? 'helve';
export const patience = 60_000; // ms; ends what hangs, and measures nothing

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Waits until `look` gives something that is true, and gives it.
export async function until(what, look) {
  for (const end = Date.now() + patience; ; await sleep(20)) {
    const found = await look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`);
  }
}

const at_exit = [];
process.on('exit', () => at_exit.forEach((clean) => clean()));

export function temporary_folder() {
  const path = mkdtempSync(join(tmpdir(), 'helve-mcp-'));
  at_exit.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export const sample = ['--source', 'sample=sample:'];
export const stdio = (more = []) => ({ command: program, args: ['mcp', ...sample, ...more] });

// A server on a free port of the loopback; stop() ends it and gives its exit status.
export async function start_http(more = []) {
  const child = spawn(program, ['mcp', ...sample, ...more, '--http', '127.0.0.1:0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => {
    child.on('exit', (code, signal) => resolve(code ?? signal));
    child.on('error', (error) => resolve(error.message));
  });
  const said = [];
  const url = await new Promise((resolve, reject) => {
    const wait = setTimeout(() => reject(new Error(`no address was told: ${said}`)), patience);
    createInterface({ input: child.stderr }).on('line', (line) => {
      said.push(line);
      const address = /listening on (http:\S+)/.exec(line);
      if (!address) return;
      clearTimeout(wait);
      resolve(new URL(address[1]));
    });
    ended.then((status) => {
      clearTimeout(wait);
      reject(new Error(`helve ended with ${status}: ${said.join('\n')}`));
    });
  });
  at_exit.push(() => child.kill('SIGKILL'));
  return {
    url,
    pid: child.pid,
    said,
    stop: async () => {
      child.kill('SIGTERM');
      return ended;
    },
    // A number of /metrics, summed over its labels.
    metric: async (name) => {
      const text = await (await fetch(new URL('/metrics', url))).text();
      const is_it = (line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`);
      const lines = text.split('\n').filter(is_it);
      if (lines.length === 0) throw new Error(`/metrics has no ${name}`);
      return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
    },
  };
}

// Whether a process works: a thread of it is running, or its time on the processor has grown since
// the last look.
export function processor_watch(pid) {
  let before = -1;
  return () => {
    let ticks = 0;
    let is_running = false;
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'latin1');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      is_running ||= fields[0] === 'R';
      ticks += Number(fields[11]) + Number(fields[12]);
    }
    const has_grown = ticks !== before;
    before = ticks;
    return is_running || has_grown;
  };
}

// Waits until it has been idle for a while: five looks in a row.
export async function until_idle(pid) {
  const works = processor_watch(pid);
  let idle = 0;
  await until('the process is idle', async () => {
    await sleep(80);
    idle = works() ? 0 : idle + 1;
    return idle === 5;
  });
}
