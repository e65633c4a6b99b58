#define FSH_COMMIT "9422e4da56aa-dirty"
