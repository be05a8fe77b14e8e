-- Reasons for a cancellation that staff choose from. The default is constant, so no table is rewritten.
ALTER TABLE "tenants" ADD COLUMN "cancel_reasons" TEXT[] NOT NULL DEFAULT ARRAY['The patient asked', 'The patient is ill', 'The practitioner is ill', 'Booked by mistake']::TEXT[];
-- Whether the patient may read the reason; null means that they may.
ALTER TABLE "appointments" ADD COLUMN "cancel_reason_told" BOOLEAN;
