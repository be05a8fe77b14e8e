-- Why a visit was canceled, in somebody's own words; encrypted, as it may say anything of the patient's health.
ALTER TABLE "appointments" ADD COLUMN "cancel_reason" BYTEA;
