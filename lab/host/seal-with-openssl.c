/*
 * Seals with OpenSSL's AES-128-SIV, which neither Node nor the openssl program offers. Each line of the input has key, first
 * and second component, and plaintext in hexadecimal with a comma behind each; a line of the output has tag and ciphertext.
 * libssl-dev's headers are not needed: these declarations are those of OpenSSL 3's evp.h.
 */
#include <stdio.h>
#include <string.h>

typedef struct evp_cipher_st EVP_CIPHER;
typedef struct evp_cipher_ctx_st EVP_CIPHER_CTX;
EVP_CIPHER *EVP_CIPHER_fetch(void *library, const char *name, const char *properties);
EVP_CIPHER_CTX *EVP_CIPHER_CTX_new(void);
void EVP_CIPHER_CTX_free(EVP_CIPHER_CTX *context);
int EVP_EncryptInit_ex(EVP_CIPHER_CTX *, const EVP_CIPHER *, void *, const unsigned char *key, const unsigned char *iv);
int EVP_EncryptUpdate(EVP_CIPHER_CTX *, unsigned char *out, int *made, const unsigned char *in, int bytes);
int EVP_EncryptFinal_ex(EVP_CIPHER_CTX *, unsigned char *out, int *made);
int EVP_CIPHER_CTX_ctrl(EVP_CIPHER_CTX *, int type, int argument, void *place);
enum { get_tag = 0x10, most = 4096 };

/* Reads hexadecimal up to a comma; -1 at the end of the input. */
static int read_bytes(unsigned char *bytes) {
  int count = 0;
  unsigned value;
  while (count < most && scanf("%2x", &value) == 1) bytes[count++] = (unsigned char)value;
  return getchar() == ',' ? count : -1;
}

static void print_bytes(const unsigned char *bytes, int count) {
  for (int index = 0; index < count; index += 1) printf("%02x", bytes[index]);
}

int main(void) {
  EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, "AES-128-SIV", NULL);
  if (cipher == NULL) return fputs("OpenSSL has no AES-128-SIV\n", stderr), 1;
  unsigned char part[4][most], out[most], tag[16];
  int bytes[4], made;
  for (;;) {
    for (int index = 0; index < 4; index += 1) {
      bytes[index] = read_bytes(part[index]);
      if (bytes[index] < 0) return index == 0 ? 0 : 1;
    }
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int ok = EVP_EncryptInit_ex(context, cipher, NULL, part[0], NULL);
    for (int index = 1; index < 3; index += 1)
      ok = ok && EVP_EncryptUpdate(context, NULL, &made, part[index], bytes[index]);
    ok = ok && EVP_EncryptUpdate(context, out, &made, part[3], bytes[3]);
    ok = ok && EVP_EncryptFinal_ex(context, out, &made);
    ok = ok && EVP_CIPHER_CTX_ctrl(context, get_tag, sizeof tag, tag);
    EVP_CIPHER_CTX_free(context);
    if (!ok) return fputs("OpenSSL does not seal this\n", stderr), 1;
    print_bytes(tag, sizeof tag);
    print_bytes(out, bytes[3]);
    putchar('\n');
  }
}
