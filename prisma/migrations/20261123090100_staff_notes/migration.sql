-- What staff write for each other about a visit; encrypted, as it may say anything of the patient's health.
ALTER TABLE "appointments" ADD COLUMN "staff_note" BYTEA;
