-- The login of the service: made if there is none, its password set, what it may do granted.
\set ON_ERROR_STOP on
\getenv password CARDS_PASSWORD
SELECT 'CREATE ROLE cards LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'cards')
\gexec
ALTER ROLE cards PASSWORD :'password';
GRANT kartejo_writer TO cards;
