"""Translation of texts that reach users; the domain is magnum's, whose catalogues fit."""

import oslo_i18n

_translators = oslo_i18n.TranslatorFactory(domain="magnum")

_ = _translators.primary
