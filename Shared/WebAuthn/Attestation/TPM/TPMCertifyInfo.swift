/// The `TPMS_ATTEST` structure with which a TPM certifies a key (TPM 2.0 Library, Part 2, section 10.12.8).
struct TPMCertifyInfo {
    /// TPM_GENERATED_VALUE: a TPM signs no other data that begins like this.
    private static let magic: UInt32 = 0xff54_4347
    /// TPM_ST_ATTEST_CERTIFY.
    private static let certify: UInt16 = 0x8017

    /// The data that the caller of the TPM bound to this structure.
    let extraData: [UInt8]
    /// The name of the certified key.
    let attestedName: [UInt8]

    /// - Returns: nil if the structure is malformed, was not made by a TPM, or certifies something else.
    init?(_ bytes: [UInt8]) {
        var reader = TPMReader(bytes)
        guard reader.uint32() == Self.magic, reader.uint16() == Self.certify,
            reader.sizedBytes() != nil,  // qualifiedSigner
            let extraData = reader.sizedBytes(),
            reader.uint64() != nil, reader.uint32() != nil, reader.uint32() != nil,  // clock, resetCount, restartCount
            reader.uint8() != nil, reader.uint64() != nil,  // safe, firmwareVersion
            let attestedName = reader.sizedBytes(),
            reader.sizedBytes() != nil,  // qualifiedName
            reader.isAtEnd
        else { return nil }
        self.extraData = extraData
        self.attestedName = attestedName
    }
}
