package capture

import "strings"

// masked stands in the place of a secret.
const masked = "***"

// secretWords are parts of the names of fields whose values are not to be shown.
var secretWords = [...]string{"authorization", "cookie", "token", "secret", "password", "passwd", "api-key", "apikey", "api_key", "session", "credential", "signature", "-jwt"}

// IsSecret says that the value of a head's field is not to be shown to people who look over a shoulder, or into a log of a CI.
func IsSecret(name string) bool {
	name = strings.ToLower(name)
	for _, word := range secretWords {
		if strings.Contains(name, word) {
			return true
		}
	}
	return name == "x-auth" || name == "x-key" || strings.HasPrefix(name, "x-auth-")
}

// maskValue keeps of an Authorization which scheme it has, which helps and tells nothing.
func maskValue(name, value string) string {
	if strings.HasSuffix(strings.ToLower(name), "authorization") {
		if scheme, _, ok := strings.Cut(strings.TrimSpace(value), " "); ok {
			return scheme + " " + masked
		}
	}
	return masked
}
