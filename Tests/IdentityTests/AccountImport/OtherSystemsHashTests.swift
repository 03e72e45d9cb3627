import Contracts
import Testing
import UserFiles
import Vocabulary

@testable import IdentityService

/// Hashes that Django 5 and passlib 1.7 made of `correct horse 1`.
@Suite struct OtherSystemsHashTests {
    private static let password = Array("correct horse 1".utf8)

    static let texts = [
        "pbkdf2_sha256$1000$Salt0fDjango$Jaf2m3tzQ08jYTNo175Hrhihb9bP69Vsee4TA6CMj/s=",
        "pbkdf2_sha1$1000$Salt0fDjango$v8Co7UD+I5TvmqlbshDyyL4N+bM=",
        "argon2$argon2id$v=19$m=64,t=2,p=2$U2FsdDBmRGphbmdv$PLoseIYWEOyWKuLcMxElbZSnuXu8rP56Mxb4eKvdypA",
        "bcrypt_sha256$$2b$04$FWvAdy4fdIRCWfHew/4ceeG7DexeFqNyJwOZBZ9jjbopeShnF1EcO",
        "bcrypt$$2b$04$2MVmpZtL6S5I50zoCKFJ5uznU6FkqktYmyqWuT3y00nXeonlJXF4a",
        "scrypt$16$Salt0fDjango$8$5$OjV5wkTslXBjRCmok3kVtEy8MXEhG9UN5p6PgMPY/z/BfDrGLGOj7kjtm+orwIxSxDEgld3u7LkXPQnCCC2QDA==",
        "md5$Salt0fDjango$4c0cb0b51696cd6edb235cce4215156d",
        "$pbkdf2-sha256$1000$ujcG4JwT4jxHqNUaA6AUAg$no5yb/O8ZvC1BE2L0t8hn1sQFmN1ixRje0YG/uyBeyg",
        "$pbkdf2-sha512$1000$yHlPaW0thbBWypmTspYy5g$06ZtB0tl/rhlzveayS8jiXzo.LrjTj1HUdA9GCc1rkDbxNU0h5ysiVuH62DkAj86WDuR8TYK6FAw7dW9ARv.Bg",
        "$pbkdf2$1000$AiAkJISQci5lzJkTYkyp9Q$W/NPLu/VELWqRfWjo8Yx008x/VM",
        "$bcrypt-sha256$v=2,t=2b,r=4$MUbMhgRyJ2A89TUHGyyQie$6tz4I4vVY.r4TyhciyrkuhsR883LgRa",
        "$bcrypt-sha256$2b,4$S/wXq6w6HOdnh7oHvG1wjO$0K/6tmh8qmHBnriK1UuV0y7iyoIKRAW",
        "$5$rounds=1000$.KSoh5DZUwVO/1LT$7DQtfS0L3EfNYIcOn9lPCgyfSaXJmxC/xbCCg9WsNkB",
        "$6$.GYX2fTnL3Rzj2Y6$VTVk5dChwTbLe/fu2KP97VLef8Wp0vsuECh5s3iOyfjC/APyUukVXq9Ny10ZWaIHPnH3YO6ZV4q476LdDo1IF/",
        "$scrypt$ln=4,r=8,p=1$z/n/f28N4RwjhJBSyvnf+w$mI5LIZ4WwN++QFJWYhS0swCVPnZxiiBYUISBJl5oGns",
        "$argon2id$v=19$m=64,t=2,p=1$yDnHWGvN2ZtzjtEawzinVA$Q5HMGVgLBA76heTjgq+iHa7njgc3d9AMz2AIrrvNMyI",
        "{SSHA}tVVWEW/VtMnkWMvl1zTa0anJlvHNuff+",
        "{ssha}tVVWEW/VtMnkWMvl1zTa0anJlvHNuff+",
        "{SHA}x5fPvYFgDcbGATGvaDXPPkWxnc8=",
        "{MD5}Js3bn30o89V6WnyCSxIWtw==",
        "{SMD5}yTypx+rBCFBsN71vKwMRLQshhPA=",
        "{SSHA256}UfnoAgEaLxE5r4q+nB33UDJn41Q6nGrx8wNwOurJwADUGkMoZWzNuQ==",
        "{SSHA512}8gSXfn+Kp+WBq+yQwYCuFIxAApg0h5FU/N4PzpSlXHX1x2hgxip6dqnazsx6GwziSTi+pQEUud+ELTuWNZCFZUgJ4RyjVIpx",
        "{PBKDF2-SHA256}1000$fg9BCIFQSgmh1BqjNEbI2Q$xUyrG45Ffb/xJYQA3GvYcPGHSuCbpEMRtNuYFXGDxBg",
        "{CRYPT}$6$5wfOsQjj6t5H0uu5$WZkIPAgCRX8IxR04PQ8pVnVh5//yrvWQ2wuL98sfLAtLio0SDMTlQVU5B1xLBnIve.mgIT3JkXfhPnvRThbDI1",
        "{CRYPT}$2b$04$P6OA1D1T0G/C.69ZD8zvSuP2LYz2WTuGV3TNHnNX8BDvLZLMF/HRS",
    ]

    @Test(arguments: texts) func onlyThePasswordMatches(text: String) throws {
        let hash = try #require(PasswordHashText(text))
        try hash.algorithm.checkBounds()
        try hash.algorithm.check(salt: hash.salt.bytes, hash: hash.hash.bytes)
        #expect(try hash.algorithm.matches(Self.password, salt: hash.salt.bytes, hash: hash.hash.bytes))
        #expect(try !hash.algorithm.matches(Self.password + [0x21], salt: hash.salt.bytes, hash: hash.hash.bytes))
        #expect(try !hash.algorithm.matches([], salt: hash.salt.bytes, hash: hash.hash.bytes))
        // An export of the hash describes it as well.
        #expect(PasswordHashText(hash.text) == hash)
    }

    private static let digits43 = String(repeating: "a", count: 43)

    @Test(arguments: [
        "$5$salt$\(digits43)a", "$5$salt$\(digits43.dropLast())", "$6$salt$\(digits43)",
        "$5$rounds=999$salt$\(digits43)",
        "$5$rounds=1000001$salt$\(digits43)", "$5$rounds=05000$salt$\(digits43)", "$5$rounds=x$salt$\(digits43)",
        "$5$saltsaltsaltsalts$\(digits43)", "$5$sa:t$\(digits43)", "$5$$$\(digits43)", "$5$",
        "bcrypt_sha256$$2b$15$FWvAdy4fdIRCWfHew/4ceeG7DexeFqNyJwOZBZ9jjbopeShnF1EcO", "bcrypt_sha256$$2b$04$",
    ])
    func hashOutOfBoundsIsRefused(text: String) throws {
        let hash = try #require(PasswordHashText(text))
        let error = #expect(throws: ServiceError.self) {
            try hash.algorithm.check(salt: hash.salt.bytes, hash: hash.hash.bytes)
        }
        #expect(error?.code == .invalidPasswordHash)
    }
}
