export type Reply = { status: number; body?: object | string; headers?: Record<string, string> };

export const fault = (status: number, code: string, headers: Record<string, string> = {}): Reply => ({
  status,
  headers,
  body: { errors: [{ status: String(status), code, title: code, detail: `It is ${code}.` }], request_id: 'req-1' },
});
export const ok = (body: object): Reply => ({ status: 200, body });
export const ACCEPTED: Reply = { status: 202 };
export const DONE: Reply = { status: 204 };
