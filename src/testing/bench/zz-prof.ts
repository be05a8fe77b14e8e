import { execSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setStage } from './sign-in/set-stage.ts';
import { signInMany } from './sign-in/sign-in-many.ts';
import { startWorld } from './world.ts';

const prof = process.argv.includes('prof');
if (prof) process.env.NODE_OPTIONS = '--import /tmp/prof.mjs';
const world = await startWorld();
delete process.env.NODE_OPTIONS;
const { clientId, accounts } = await setStage(world, 64);
const o = { url: `${world.url}/identity/credentials`, clientId, accounts, concurrency: 16 };
const cpu = () => {
  // cpu seconds of all processes of ours
  const out: Record<string, number> = {};
  for (const pid of readdirSync('/proc').filter((n) => /^\d+$/.test(n))) {
    try {
      const st = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const f = st.slice(st.lastIndexOf(')') + 2).split(' ');
      const cmd = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      const k = cmd.includes('door-process')
        ? 'door'
        : /^postgres: carelane/.test(cmd)
          ? 'pg'
          : Number(pid) === process.pid
            ? 'client'
            : '';
      if (k) out[k] = (out[k] ?? 0) + (Number(f[11]) + Number(f[12])) * 10;
      if (k === 'door')
        for (const t of readdirSync(`/proc/${pid}/task`)) {
          const s = readFileSync(`/proc/${pid}/task/${t}/stat`, 'utf8');
          const g = s.slice(s.lastIndexOf(')') + 2).split(' ');
          out[`door/${t === pid ? 'main' : t}`] = (Number(g[11]) + Number(g[12])) * 10;
        }
    } catch {}
  }
  return out;
};
await signInMany({ ...o, count: 200 });
for (let i = 0; i < 3; i++) {
  const a = cpu();
  const r = await signInMany({ ...o, count: 600 });
  const b = cpu();
  console.log(
    r,
    'cpu ms per sign-in',
    Object.fromEntries(
      Object.keys(b)
        .map((k) => [k, ((b[k] - (a[k] ?? 0)) / 600).toFixed(2)])
        .filter(([, v]) => Number(v) > 0.05),
    ),
  );
}
console.log(execSync('uptime').toString());
await world.stop();
