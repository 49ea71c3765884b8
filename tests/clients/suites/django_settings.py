"""Django's own tests against the server that `suites.sh` has started."""

import os

_options = {
    "driver": "ODBC Driver 18 for SQL Server",
    "extra_params": "TrustServerCertificate=yes",
}


def _database(name):
    return {
        "ENGINE": "mssql",
        "NAME": name,
        "USER": os.environ["SERVER_USER"],
        "PASSWORD": os.environ["SERVER_PASSWORD"],
        "HOST": os.environ["SERVER_HOST"],
        "PORT": os.environ["SERVER_PORT"],
        "OPTIONS": _options,
    }


DATABASES = {"default": _database("django"), "other": _database("django_other")}
SECRET_KEY = "not a secret"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
USE_TZ = False

TEST_RUNNER = "django_runner.Runner"
