export type Reply = { status: number; body?: object | string; headers?: Record<string, string> };

export const errorReply = (
  status: number,
  code: string,
  headers: Record<string, string> = {},
  meta?: object,
): Reply => ({
  status,
  headers,
  body: {
    errors: [{ status: String(status), code, title: code, detail: `It is ${code}.`, meta }],
    request_id: 'req-1',
  },
});
export const ok = (body: object): Reply => ({ status: 200, body });
export const ACCEPTED: Reply = { status: 202 };
export const SENT: Reply = { status: 202, body: { resend_after: 30 } };
export const DONE: Reply = { status: 204 };
