/** One sample to copy, with the label of its tab. */
export type ReceiverCode = { value: 'curl' | 'node' | 'python'; label: string; file: string; code: string };

const shellQuoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * Sample code for a receiver, with its URL and never its secret, which belongs in the environment. A test runs all
 * three samples against real deliveries.
 */
export const receiverCode = (url: string): [ReceiverCode, ...ReceiverCode[]] => [
  { value: 'curl', label: 'Check with curl', file: 'check.sh', code: curlCheck(url) },
  { value: 'node', label: 'Node', file: 'receive.mjs', code: nodeReceiver(url) },
  { value: 'python', label: 'Python', file: 'receive.py', code: pythonReceiver(url) },
];

const curlCheck = (url: string) => `# Your receiver should say 401 to the first and 200 or 204 to the second.
# CARELANE_WEBHOOK_SECRET is the signing secret: whsec_…
URL=${shellQuoted(url)}
BODY='{"type":"webhook.test","id":"check","test":true}'

curl -s -o /dev/null -w 'unsigned: %{http_code}\\n' "$URL" -H 'content-type: application/json' -d "$BODY"

NOW=$(date +%s)
KEY=$(printf %s "\${CARELANE_WEBHOOK_SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \\n')
SIGNATURE=$(printf %s "check.$NOW.$BODY" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$KEY" -binary | base64)

curl -s -o /dev/null -w 'signed: %{http_code}\\n' "$URL" -H 'content-type: application/json' -d "$BODY" \\
  -H 'webhook-id: check' -H "webhook-timestamp: $NOW" -H "webhook-signature: v1,$SIGNATURE"
`;

const nodeReceiver = (url: string) => `// npm install standardwebhooks
// CARELANE_WEBHOOK_SECRET=whsec_… PORT=4000 node receive.mjs
// Carelane sends to ${url}
import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.CARELANE_WEBHOOK_SECRET);
const seen = new Set(); // a table of your database

createServer(async (request, response) => {
  const parts = [];
  for await (const part of request) parts.push(part);
  let event;
  try {
    // Over the bytes as they came; what is too old is refused, too.
    event = webhook.verify(Buffer.concat(parts).toString(), request.headers);
  } catch {
    return response.writeHead(401).end();
  }
  try {
    if (!event.test && !seen.has(event.id)) {
      console.log(event.type, event.object_id); // your work, done once
      seen.add(event.id); // in the same transaction
    }
    response.writeHead(204).end();
  } catch {
    response.writeHead(500).end(); // it comes again
  }
}).listen(process.env.PORT ?? 4000);
`;

const pythonReceiver = (url: string) => `# CARELANE_WEBHOOK_SECRET=whsec_… PORT=4000 python3 receive.py
# Carelane sends to ${url}
import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ["CARELANE_WEBHOOK_SECRET"].removeprefix("whsec_"))
seen = set()  # a table of your database


def is_genuine(headers, body):
    sent_at = headers.get("webhook-timestamp", "")
    if not sent_at.isdecimal() or abs(time.time() - int(sent_at)) > 300:
        return False  # too old, or from a clock that is wrong
    signed = f"{headers.get('webhook-id', '')}.{sent_at}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest())
    # There are two of them while a new secret takes over.
    given = headers.get("webhook-signature", "").split()
    return any([hmac.compare_digest(expected, one.encode()) for one in given])


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if not is_genuine(self.headers, body):
            return self.answer(401)
        try:
            event = json.loads(body)
            if not event.get("test") and event["id"] not in seen:
                print(event["type"], event["object_id"], flush=True)  # your work, done once
                seen.add(event["id"])  # in the same transaction
            self.answer(204)
        except Exception:
            self.answer(500)  # it comes again

    def answer(self, status):
        self.send_response(status)
        self.end_headers()


ThreadingHTTPServer(("", int(os.environ.get("PORT", 4000))), Receiver).serve_forever()
`;
