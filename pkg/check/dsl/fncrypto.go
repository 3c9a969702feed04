package dsl

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"hash"
	"strings"
)

// cryptoFunctions encrypt and sign with what a check brings along.
var cryptoFunctions = map[string]function{
	"aescbc":      {3, 3, aesCBC},
	"aesgcm":      {2, 2, aesGCM},
	"rsaencrypt":  {2, 2, rsaEncrypt},
	"generatejwt": {2, 4, webToken},
	"xor":         {2, -1, exclusiveOr},
}

// aesCBC is aes_cbc(text, key, initial vector), padded as PKCS #7 says.
func aesCBC(args []any) (any, error) {
	block, err := aes.NewCipher([]byte(String(args[1])))
	if err != nil {
		return nil, err
	}
	iv := String(args[2])
	if len(iv) != aes.BlockSize {
		return nil, wantArguments("an initial vector of 16 bytes")
	}
	text := []byte(String(args[0]))
	fill := aes.BlockSize - len(text)%aes.BlockSize
	text = append(text, bytes.Repeat([]byte{byte(fill)}, fill)...)
	cipher.NewCBCEncrypter(block, []byte(iv)).CryptBlocks(text, text)
	return string(text), nil
}

// aesGCM is aes_gcm(key, text): a nonce, which is drawn, and the sealed text.
func aesGCM(args []any) (any, error) {
	block, err := aes.NewCipher([]byte(String(args[0])))
	if err != nil {
		return nil, err
	}
	sealer, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	return string(sealer.Seal(nil, nil, []byte(String(args[1])), nil)), nil
}

// rsaEncrypt is rsa_encrypt(text, public key as PEM), padded as PKCS #1 version 1.5 says, in base64.
func rsaEncrypt(args []any) (any, error) {
	found, _ := pem.Decode([]byte(String(args[1])))
	if found == nil {
		return nil, wantArguments("a public key as PEM")
	}
	key, err := x509.ParsePKIXPublicKey(found.Bytes)
	if err != nil {
		return nil, err
	}
	public, ok := key.(*rsa.PublicKey)
	if !ok {
		return nil, wantArguments("a key for RSA")
	}
	//lint:ignore SA1019 it is what hosts decrypt
	sealed, err := rsa.EncryptPKCS1v15(rand.Reader, public, []byte(String(args[0])))
	return base64.StdEncoding.EncodeToString(sealed), err
}

// tokenHashes are the algorithms of web tokens that are keyed digests.
var tokenHashes = map[string]func() hash.Hash{"HS256": sha256.New, "HS384": sha512.New384, "HS512": sha512.New}

// webToken is generate_jwt(claims as JSON, algorithm, key, until when it holds). Without an algorithm, or with none in any
// case, it is not signed, and the head has the word as it was written.
func webToken(args []any) (any, error) {
	claims := map[string]any{}
	dec := json.NewDecoder(strings.NewReader(String(args[0])))
	dec.UseNumber()
	if err := dec.Decode(&claims); err != nil {
		return nil, err
	}
	if len(args) == 4 {
		until, err := toUnixTime(args[3:])
		if err != nil {
			return nil, err
		}
		now, _ := unixTime(nil)
		claims["iat"], claims["exp"] = now, until
	}
	name := String(args[1])
	digests, signed := tokenHashes[strings.ToUpper(name)]
	switch {
	case signed:
		name = strings.ToUpper(name)
	case name == "":
		name = "none"
	case !strings.EqualFold(name, "none"):
		return nil, wantArguments("HS256, HS384, HS512 or none, not " + name)
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		return nil, err
	}
	head, err := json.Marshal(struct {
		Alg string `json:"alg"`
		Typ string `json:"typ"`
	}{name, "JWT"})
	if err != nil {
		return nil, err
	}
	encode := base64.RawURLEncoding.EncodeToString
	token := encode(head) + "." + encode(payload)
	if !signed {
		return token + ".", nil
	}
	key := ""
	if len(args) > 2 {
		key = String(args[2])
	}
	mac := hmac.New(digests, []byte(key))
	mac.Write([]byte(token))
	return token + "." + encode(mac.Sum(nil)), nil
}

// exclusiveOr takes the bytes of several texts together; a shorter one begins anew.
func exclusiveOr(args []any) (any, error) {
	list := texts(args)
	longest := 0
	for _, s := range list {
		if s == "" {
			return nil, wantArguments("texts that are not empty")
		}
		longest = max(longest, len(s))
	}
	out := make([]byte, longest)
	for _, s := range list {
		for i := range out {
			out[i] ^= s[i%len(s)]
		}
	}
	return string(out), nil
}
